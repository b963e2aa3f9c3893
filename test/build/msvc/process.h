#pragma once
int _getpid(void);
