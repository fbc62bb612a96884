/* A disk that can be made to fail, loaded with LD_PRELOAD into a program that writes below one folder.
 *
 * Two uses, both switched on by the program itself (through ctypes):
 *   shim_arm(k, n)    of the next calls that need room on the disk, number k and the n-1 after it fail with ENOSPC;
 *   shim_record(path) every write, sync, truncate, rename and unlink goes into a file, so that power cuts can be
 *                     played afterwards; shim_mark(n) puts a number between them.
 * Only files below the folder of shim_watch() count. The environment of child processes stays clean.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static char folder[PATH_MAX];
static long counter, first = -1, last = -1;
static int journal = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void clean(void) { unsetenv("LD_PRELOAD"); }

void shim_watch(const char *path) { snprintf(folder, sizeof folder, "%s/", path); }
void shim_arm(long k, long n) { counter = 0; first = k; last = k + n - 1; }
long shim_count(void) { return counter; }

static int watched(const char *path) { return folder[0] && strncmp(path, folder, strlen(folder)) == 0; }

static int path_of(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, PATH_MAX - 1);
    if (n <= 0) return 0;
    path[n] = 0;
    return watched(path);
}

static const char *at(int dirfd, const char *path, char *whole) {
    if (path[0] == '/' || dirfd == AT_FDCWD) return path;
    char base[PATH_MAX];
    if (!path_of(dirfd, base)) return "";
    snprintf(whole, PATH_MAX + 256, "%s/%s", base, path);
    return whole;
}

/* Whether this call is one of those that fail. */
static int full(void) {
    long number = __atomic_add_fetch(&counter, 1, __ATOMIC_SEQ_CST);
    if (first < 0 || number < first || number > last) return 0;
    errno = ENOSPC;
    return 1;
}

/* -- the recording: op, path, offset, length, then the bytes */

static void put(char op, const char *path, int64_t offset, const void *data, int64_t length) {
    if (journal < 0) return;
    int32_t size = (int32_t)strlen(path);
    int64_t bytes = data ? length : 0;
    pthread_mutex_lock(&lock);
    struct iovec parts[] = {{&op, 1}, {&size, 4}, {(void *)path, size}, {&offset, 8}, {&bytes, 8}, {(void *)data, bytes}};
    if (REAL(writev)(journal, parts, 6) < 0) abort();
    pthread_mutex_unlock(&lock);
}

int shim_record(const char *path) {
    journal = REAL(open64)(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    return journal;
}

void shim_mark(int64_t number) { put('m', "", number, NULL, 0); }

/* -- the calls */

ssize_t write(int fd, const void *data, size_t length) {
    char path[PATH_MAX];
    int ours = folder[0] && path_of(fd, path);
    if (ours && full()) return -1;
    off_t before = ours && journal >= 0 ? lseek(fd, 0, SEEK_CUR) : 0;
    ssize_t done = REAL(write)(fd, data, length);
    if (ours && done > 0) put('w', path, before, data, done);
    return done;
}

static ssize_t pwrite_both(int fd, const void *data, size_t length, off64_t offset) {
    char path[PATH_MAX];
    int ours = folder[0] && path_of(fd, path);
    if (ours && full()) return -1;
    ssize_t done = REAL(pwrite64)(fd, data, length, offset);
    if (ours && done > 0) put('w', path, offset, data, done);
    return done;
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) { return pwrite_both(fd, data, length, offset); }
ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) { return pwrite_both(fd, data, length, offset); }

int fsync(int fd) {
    char path[PATH_MAX];
    int done = REAL(fsync)(fd);
    if (folder[0] && path_of(fd, path)) put('s', path, 0, NULL, 0);
    return done;
}

int fdatasync(int fd) {
    char path[PATH_MAX];
    int done = REAL(fdatasync)(fd);
    if (folder[0] && path_of(fd, path)) put('s', path, 0, NULL, 0);
    return done;
}

static int truncate_both(int fd, off64_t length) {
    char path[PATH_MAX];
    struct stat64 now;
    int ours = folder[0] && path_of(fd, path);
    if (ours && fstat64(fd, &now) == 0 && length > now.st_size && full()) return -1;
    int done = REAL(ftruncate64)(fd, length);
    if (ours && done == 0) put('t', path, length, NULL, 0);
    return done;
}

int ftruncate(int fd, off_t length) { return truncate_both(fd, length); }
int ftruncate64(int fd, off64_t length) { return truncate_both(fd, length); }

static int makes_file(int flags, int dirfd, const char *path) {
    char whole[PATH_MAX + 256];
    if (!(flags & O_CREAT) || !folder[0] || !watched(at(dirfd, path, whole))) return 0;
    return faccessat(dirfd, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
}

#define OPEN(name, type)                                             \
    int name(const char *path, int flags, ...) {                     \
        va_list more;                                                \
        va_start(more, flags);                                       \
        mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;    \
        va_end(more);                                                \
        if (makes_file(flags, AT_FDCWD, path) && full()) return -1;  \
        return REAL(name)(path, flags, mode);                        \
    }
OPEN(open, int)
OPEN(open64, int)

#define OPENAT(name)                                                 \
    int name(int dirfd, const char *path, int flags, ...) {          \
        va_list more;                                                \
        va_start(more, flags);                                       \
        mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;    \
        va_end(more);                                                \
        if (makes_file(flags, dirfd, path) && full()) return -1;     \
        return REAL(name)(dirfd, path, flags, mode);                 \
    }
OPENAT(openat)
OPENAT(openat64)

int mkdir(const char *path, mode_t mode) {
    if (watched(path) && full()) return -1;
    return REAL(mkdir)(path, mode);
}

int mkdirat(int dirfd, const char *path, mode_t mode) {
    char whole[PATH_MAX + 256];
    if (folder[0] && watched(at(dirfd, path, whole)) && full()) return -1;
    return REAL(mkdirat)(dirfd, path, mode);
}

/* A disk that has just refused a write tells that it has no room. */
#define STATVFS(name)                                                        \
    int name(const char *path, struct name *found) {                         \
        int done = REAL(name)(path, found);                                  \
        if (first >= 0 && counter >= first && counter <= last) found->f_bavail = 0; \
        return done;                                                         \
    }
STATVFS(statvfs)
STATVFS(statvfs64)

int unlink(const char *path) {
    int done = REAL(unlink)(path);
    if (done == 0 && watched(path)) put('u', path, 0, NULL, 0);
    return done;
}

int link(const char *path, const char *other) {
    if (watched(other) && full()) return -1;
    int done = REAL(link)(path, other);
    if (done == 0 && watched(path)) put('l', path, 0, other, (int64_t)strlen(other));
    return done;
}
