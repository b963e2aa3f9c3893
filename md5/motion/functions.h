// Replacements for libc functions whose last bits differ between platforms. They use only + - * /
// and square roots.
#ifndef MD5_CURVE_FUNCTIONS_H
#define MD5_CURVE_FUNCTIONS_H

// 2^x for 0 <= x <= 10, to within 1e-9 of it.
double md5i_power_of_two(double x);

// sin(x) for |x| <= pi / 2, to within 1e-13.
double md5i_sine(double x);

// sin(2 pi turns) for |turns| <= 2^20, to within 1e-9; for |turns| <= 16 to within 1e-13.
double md5i_sine_of_turns(double turns);

// atan2(y, x) for y >= 0 and any x, from 0 to pi, to within 1e-14; 0 if both are 0.
double md5i_angle(double y, double x);

#endif
