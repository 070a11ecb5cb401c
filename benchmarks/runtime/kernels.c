/* The kernels of kernels.py. An array is a pointer followed by its extents; an int is int64_t. */
#include <math.h>
#include <stdint.h>
typedef int64_t i64;

void saxpy(float alpha, const float *x, i64 n, float *y, i64 m) {
  for (i64 i = 0; i < n; i++) y[i] = alpha * x[i] + y[i];
}
double euclidean(const double *a, i64 n, const double *b, i64 m) {
  double total = 0.0;
  for (i64 i = 0; i < n; i++) { double t = a[i] - b[i]; total += t * t; }
  return sqrt(total);
}
void horner(const double *x, i64 n, double *out, i64 m) {
  for (i64 i = 0; i < n; i++) { double t = x[i]; out[i] = (((t * 0.25 - 0.5) * t + 0.75) * t - 1.0) * t + 2.0; }
}
void softplus(const double *x, i64 n, double *out, i64 m) {
  for (i64 i = 0; i < n; i++) out[i] = log1p(exp(x[i]));
}
void rotate(double *x, i64 n, double *y, i64 m, const double *angle, i64 p) {
  for (i64 i = 0; i < n; i++) {
    double c = cos(angle[i]), s = sin(angle[i]), u = x[i], v = y[i];
    x[i] = c * u - s * v; y[i] = s * u + c * v;
  }
}
i64 digit_sum(const i64 *a, i64 n) {
  i64 total = 0;
  for (i64 i = 0; i < n; i++) for (i64 v = a[i]; v > 0; v /= 10) total += v % 10;
  return total;
}
void blur(const double *image, i64 h, i64 w, double *out, i64 oh, i64 ow) {
  for (i64 i = 1; i < h - 1; i++)
    for (i64 j = 1; j < w - 1; j++) {
      double total = 0.0;
      for (i64 y = -1; y < 2; y++) for (i64 x = -1; x < 2; x++) total += image[(i + y) * w + j + x];
      out[i * ow + j] = total / 9.0;
    }
}
void matmul(const double *a, i64 n, i64 m, const double *b, i64 p, i64 q, double *out, i64 r, i64 s) {
  for (i64 i = 0; i < n; i++)
    for (i64 k = 0; k < m; k++) {
      double v = a[i * m + k];
      for (i64 j = 0; j < q; j++) out[i * s + j] += v * b[k * q + j];
    }
}
void julia(int32_t *out, i64 n, i64 m, i64 limit) {
  for (i64 i = 0; i < n; i++)
    for (i64 j = 0; j < n; j++) {
      double x = 3.0 * j / n - 1.5, y = 3.0 * i / n - 1.5;
      i64 count = 0;
      while (count < limit && x * x + y * y < 4.0) {
        double t = x * x - y * y - 0.8;
        y = x * y + y * x + 0.156; x = t; count++;
      }
      out[i * m + j] = (int32_t)count;
    }
}
i64 longest_common_subsequence(const uint8_t *a, i64 n, const uint8_t *b, i64 m, i64 *row, i64 p) {
  for (i64 j = 0; j < p; j++) row[j] = 0;
  for (i64 i = 0; i < n; i++) {
    i64 diagonal = 0;
    for (i64 j = 0; j < m; j++) {
      i64 above = row[j + 1];
      row[j + 1] = a[i] == b[j] ? diagonal + 1 : above > row[j] ? above : row[j];
      diagonal = above;
    }
  }
  return row[m];
}
void counting_sort(const i64 *a, i64 n, i64 *counts, i64 k, i64 *out, i64 m) {
  for (i64 i = 0; i < k; i++) counts[i] = 0;
  for (i64 i = 0; i < n; i++) counts[a[i]]++;
  i64 position = 0;
  for (i64 v = 0; v < k; v++) for (i64 c = 0; c < counts[v]; c++) out[position++] = v;
}
i64 fib(i64 n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
