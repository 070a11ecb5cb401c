/* Compiled functions as naja makes them (i32 f(ret*, scalars...)): dispatch.py measures the way to them and back. */
#include <stddef.h>
#include <stdint.h>

int32_t one_int(int64_t *ret, int64_t a) { *ret = 1; return 0; }
int32_t one_float(int64_t *ret, double a) { *ret = 1; return 0; }
int32_t one_array(int64_t *ret, void *o, void *d, int64_t n) { *ret = 1; return 0; }
int32_t five_arrays(int64_t *ret, void *o1, void *d1, int64_t n1, void *o2, void *d2, int64_t n2, void *o3, void *d3,
                    int64_t n3, void *o4, void *d4, int64_t n4, void *o5, void *d5, int64_t n5) { *ret = 1; return 0; }
int32_t tuple3(int64_t *ret, int64_t a, int64_t b, int64_t c) { *ret = 1; return 0; }
int32_t string(int64_t *ret, void *d, int64_t n, int32_t k, int32_t a, int64_t h, void *o) { *ret = 1; return 0; }
int32_t none_int_float(int64_t *ret, int64_t a, double b) { *ret = 1; return 0; }
struct array1 { void *o, *d; int64_t n; };
int32_t return_array(struct array1 *ret, void *o, void *d, int64_t n) { ret->o = o; ret->d = d; ret->n = n; return 0; }
struct pair { int64_t a; double b; };
int32_t return_tuple(struct pair *ret, int64_t a, double b) { ret->a = a; ret->b = b; return 0; }

static void *(*alloc)(uint64_t, int32_t, void **);
void set_alloc(void *f) { alloc = f; }
int32_t new_array(struct array1 *ret, int64_t n) {
  ret->o = alloc(n * 8, 0, &ret->d);
  ret->n = n;
  return ret->o == NULL;
}
