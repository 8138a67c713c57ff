/*
 * Preloaded into PostgreSQL: every flush to the disk takes FLUSH_MICROS longer, as on disks that are further away than the
 * one at hand. cc -shared -fPIC -O2 -o slow-flush.so slow-flush.c -ldl
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

typedef int (*flush_function)(int);

static void delay(void) {
  const char *given = getenv("FLUSH_MICROS");
  const long micros = given == NULL ? 0 : atol(given);
  struct timespec left = {micros / 1000000, micros % 1000000 * 1000};
  /* signals wake processes of PostgreSQL up all the time */
  while (nanosleep(&left, &left) != 0) {
  }
}

static int flush_slowly(const char *name, int descriptor) {
  const flush_function flush = (flush_function)dlsym(RTLD_NEXT, name);
  const int result = flush(descriptor);
  delay();
  return result;
}

int fsync(int descriptor) { return flush_slowly("fsync", descriptor); }

int fdatasync(int descriptor) { return flush_slowly("fdatasync", descriptor); }
