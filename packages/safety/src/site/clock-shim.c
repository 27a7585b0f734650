/*
 * Sets the wall clock of one program, and of nobody else: loaded before libc, it adds an offset to what the program reads.
 * The offset, microseconds as a 64-bit number, is the content of the file that HOLDFAST_CLOCK_OFFSET names. The file is mapped,
 * so writing to it moves the clock at once. Monotonic clocks stay as they are.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *offset;
static int (*real_clock_gettime)(clockid_t, struct timespec *);

__attribute__((constructor)) static void map_offset(void) {
  real_clock_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  const char *path = getenv("HOLDFAST_CLOCK_OFFSET");
  if (path == NULL) return;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (mapped != MAP_FAILED) offset = (volatile int64_t *)mapped;
}

static void shift(struct timespec *time) {
  if (offset == NULL) return;
  int64_t nanos = time->tv_nsec + (*offset % 1000000) * 1000;
  time->tv_sec += *offset / 1000000 + (nanos < 0 ? -1 : nanos / 1000000000);
  time->tv_nsec = nanos < 0 ? nanos + 1000000000 : nanos % 1000000000;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (real_clock_gettime == NULL) real_clock_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int status = real_clock_gettime(clock, time);
  if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) shift(time);
  return status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec time;
  if (clock_gettime(CLOCK_REALTIME, &time) != 0) return -1;
  now->tv_sec = time.tv_sec;
  now->tv_usec = time.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *where) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (where != NULL) *where = now.tv_sec;
  return now.tv_sec;
}
