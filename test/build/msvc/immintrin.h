// Intrinsics of SSE2 and AVX2 without their code. Vectors are structures, as in Microsoft's
// headers.
#pragma once
typedef union __m64 {
    unsigned long long m64_u64;
} __m64;
typedef union __declspec(align(16)) __m128 {
    float m128_f32[4];
} __m128;
typedef struct __declspec(align(16)) __m128d {
    double m128d_f64[2];
} __m128d;
typedef union __declspec(align(16)) __m128i {
    int m128i_i32[4];
} __m128i;
typedef union __declspec(align(32)) __m256 {
    float m256_f32[8];
} __m256;
typedef union __declspec(align(32)) __m256i {
    int m256i_i32[8];
} __m256i;
#define _CMP_LT_OQ 0x11
#define _CMP_GT_OQ 0x1e
#define _MM_SHUFFLE(d, c, b, a) (((d) << 6) | ((c) << 4) | ((b) << 2) | (a))
void _mm_transpose4(__m128 *a, __m128 *b, __m128 *c, __m128 *d);
#define _MM_TRANSPOSE4_PS(a, b, c, d) _mm_transpose4(&(a), &(b), &(c), &(d))
__m256i _mm256_add_epi32(__m256i a, __m256i b);
__m256 _mm256_add_ps(__m256 a, __m256 b);
__m256 _mm256_and_ps(__m256 a, __m256 b);
__m256i _mm256_and_si256(__m256i a, __m256i b);
__m256 _mm256_blend_ps(__m256 a, __m256 b, const int places);
__m256 _mm256_blendv_ps(__m256 a, __m256 b, __m256 mask);
__m256 _mm256_broadcast_ps(const __m128 *from);
__m256 _mm256_broadcast_ss(const float *from);
__m256 _mm256_castps128_ps256(__m128 a);
__m128 _mm256_castps256_ps128(__m256 a);
__m256i _mm256_castsi128_si256(__m128i a);
__m256 _mm256_castsi256_ps(__m256i a);
__m256 _mm256_cmp_ps(__m256 a, __m256 b, const int how);
__m256 _mm256_cvtepi32_ps(__m256i a);
__m256i _mm256_cvtepu8_epi32(__m128i a);
__m256 _mm256_div_ps(__m256 a, __m256 b);
__m128 _mm256_extractf128_ps(__m256 a, const int half);
__m256 _mm256_insertf128_ps(__m256 a, __m128 b, int half);
__m256i _mm256_inserti128_si256(__m256i a, __m128i b, const int half);
__m256 _mm256_loadu_ps(const float *from);
__m256i _mm256_loadu_si256(const __m256i *from);
__m256 _mm256_max_ps(__m256 a, __m256 b);
__m256 _mm256_min_ps(__m256 a, __m256 b);
int _mm256_movemask_ps(__m256 a);
__m256 _mm256_mul_ps(__m256 a, __m256 b);
__m256 _mm256_permute2f128_ps(__m256 a, __m256 b, int places);
__m256 _mm256_permute_ps(__m256 a, int places);
__m256i _mm256_set1_epi32(int value);
__m256i _mm256_set1_epi64x(long long value);
__m256 _mm256_set1_ps(float value);
__m256 _mm256_setzero_ps(void);
__m256i _mm256_shuffle_epi8(__m256i a, __m256i places);
__m256 _mm256_shuffle_ps(__m256 a, __m256 b, const int places);
__m256i _mm256_slli_epi32(__m256i a, int bits);
__m256 _mm256_sqrt_ps(__m256 a);
__m256i _mm256_srli_epi32(__m256i a, int bits);
__m256i _mm256_srlv_epi32(__m256i a, __m256i bits);
void _mm256_storeu_ps(float *to, __m256 a);
__m256i _mm256_sub_epi32(__m256i a, __m256i b);
__m256 _mm256_sub_ps(__m256 a, __m256 b);
__m256 _mm256_unpackhi_ps(__m256 a, __m256 b);
__m256 _mm256_unpacklo_ps(__m256 a, __m256 b);
__m256 _mm256_xor_ps(__m256 a, __m256 b);
__m256i _mm256_xor_si256(__m256i a, __m256i b);
__m128i _mm_add_epi8(__m128i a, __m128i b);
__m128d _mm_add_pd(__m128d a, __m128d b);
__m128 _mm_add_ps(__m128 a, __m128 b);
__m128d _mm_and_pd(__m128d a, __m128d b);
__m128 _mm_and_ps(__m128 a, __m128 b);
__m128 _mm_andnot_ps(__m128 a, __m128 b);
__m128 _mm_blend_ps(__m128 a, __m128 b, const int places);
__m128 _mm_castsi128_ps(__m128i a);
__m128d _mm_cmpgt_pd(__m128d a, __m128d b);
__m128 _mm_cmpgt_ps(__m128 a, __m128 b);
__m128i _mm_cmplt_epi8(__m128i a, __m128i b);
__m128 _mm_cmplt_ps(__m128 a, __m128 b);
__m128 _mm_cvtpd_ps(__m128d a);
__m128d _mm_cvtps_pd(__m128 a);
double _mm_cvtsd_f64(__m128d a);
__m128d _mm_div_pd(__m128d a, __m128d b);
__m128 _mm_div_ps(__m128 a, __m128 b);
__m128 _mm_load1_ps(const float *from);
__m128 _mm_load_ss(const float *from);
__m128i _mm_loadl_epi64(const __m128i *from);
__m128d _mm_loadu_pd(const double *from);
__m128 _mm_loadu_ps(const float *from);
__m128i _mm_loadu_si128(const __m128i *from);
__m128d _mm_max_pd(__m128d a, __m128d b);
__m128 _mm_max_ps(__m128 a, __m128 b);
__m128d _mm_min_pd(__m128d a, __m128d b);
__m128 _mm_min_ps(__m128 a, __m128 b);
__m128 _mm_movehdup_ps(__m128 a);
__m128 _mm_movehl_ps(__m128 a, __m128 b);
__m128 _mm_movelh_ps(__m128 a, __m128 b);
int _mm_movemask_epi8(__m128i a);
int _mm_movemask_ps(__m128 a);
__m128d _mm_mul_pd(__m128d a, __m128d b);
__m128 _mm_mul_ps(__m128 a, __m128 b);
__m128 _mm_or_ps(__m128 a, __m128 b);
__m128 _mm_permute_ps(__m128 a, int places);
__m128 _mm_permutevar_ps(__m128 a, __m128i places);
__m128i _mm_set1_epi32(int value);
__m128i _mm_set1_epi8(char value);
__m128d _mm_set1_pd(double value);
__m128 _mm_set1_ps(float value);
__m128i _mm_set_epi32(int d, int c, int b, int a);
__m128d _mm_set_pd(double b, double a);
__m128d _mm_setzero_pd(void);
__m128d _mm_shuffle_pd(__m128d a, __m128d b, const int places);
__m128 _mm_shuffle_ps(__m128 a, __m128 b, const int places);
__m128d _mm_sqrt_pd(__m128d a);
__m128 _mm_sqrt_ps(__m128 a);
__m128i _mm_srlv_epi32(__m128i a, __m128i bits);
void _mm_store_ss(float *to, __m128 a);
void _mm_storeh_pi(__m64 *to, __m128 a);
void _mm_storel_pi(__m64 *to, __m128 a);
void _mm_storeu_pd(double *to, __m128d a);
void _mm_storeu_ps(float *to, __m128 a);
__m128d _mm_sub_pd(__m128d a, __m128d b);
__m128 _mm_sub_ps(__m128 a, __m128 b);
__m128d _mm_unpackhi_pd(__m128d a, __m128d b);
__m128 _mm_unpackhi_ps(__m128 a, __m128 b);
__m128d _mm_unpacklo_pd(__m128d a, __m128d b);
__m128 _mm_unpacklo_ps(__m128 a, __m128 b);
__m128 _mm_xor_ps(__m128 a, __m128 b);
