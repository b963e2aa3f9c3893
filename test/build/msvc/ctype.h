#pragma once
int isdigit(int c);
int isalnum(int c);
int tolower(int c);
