#pragma once
int isalnum(int c);
int isalpha(int c);
int isdigit(int c);
int islower(int c);
int isspace(int c);
int isupper(int c);
int tolower(int c);
