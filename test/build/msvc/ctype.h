#pragma once
int isdigit(int c);
