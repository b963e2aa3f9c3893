#pragma once
#define INFINITY ((float)(1e+300 * 1e+300))
#define NAN (-(float)(INFINITY * 0.0F))
#define HUGE_VALF INFINITY
short _fdclass(float x);
short _dclass(double x);
#define fpclassify_value(x) \
    (sizeof(x) == sizeof(float) ? _fdclass((float)(x)) : _dclass((double)(x)))
#define isfinite(x) (fpclassify_value(x) <= 0)
#define isinf(x) (fpclassify_value(x) == 1)
#define isnan(x) (fpclassify_value(x) == 2)
int signbit_value(double x);
#define signbit(x) signbit_value((double)(x))
double sqrt(double x);
float sqrtf(float x);
double fabs(double x);
float fabsf(float x);
double floor(double x);
float floorf(float x);
double ceil(double x);
float ceilf(float x);
double trunc(double x);
float truncf(float x);
double rint(double x);
float rintf(float x);
double round(double x);
float roundf(float x);
double sin(double x);
float sinf(float x);
double cos(double x);
float cosf(float x);
double tan(double x);
float tanf(float x);
double asin(double x);
float asinf(float x);
double acos(double x);
float acosf(float x);
double atan(double x);
float atanf(float x);
double exp(double x);
float expf(float x);
double log(double x);
float logf(float x);
double log2(double x);
float log2f(float x);
double cbrt(double x);
float cbrtf(float x);
double fmin(double x, double y);
float fminf(float x, float y);
double fmax(double x, double y);
float fmaxf(float x, float y);
double fmod(double x, double y);
float fmodf(float x, float y);
double copysign(double x, double y);
float copysignf(float x, float y);
double pow(double x, double y);
float powf(float x, float y);
double atan2(double x, double y);
float atan2f(float x, float y);
double nextafter(double x, double y);
float nextafterf(float x, float y);
double remainder(double x, double y);
float remainderf(float x, float y);
double hypot(double x, double y);
float hypotf(float x, float y);
double ldexp(double x, int exponent);
float ldexpf(float x, int exponent);
double frexp(double x, int *exponent);
float frexpf(float x, int *exponent);
double modf(double x, double *whole);
long lround(double x);
long lroundf(float x);
long lrintf(float x);
double fma(double x, double y, double z);
int ilogb(double x);
#define HUGE_VAL ((double)INFINITY)
