/* The floor: runs the same DAG as the engine with posix_spawn and wait, and keeps nothing.
 *
 * usage: floor PLACES < dag      dag: a line per node: ID PARENT PARENT … (parents before children)
 * Prints one line of JSON: wall and CPU seconds of the whole DAG (own and children's).
 */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#define MOST 20000

struct node {
    int parents, *children, count, room;
};

static struct node nodes[MOST];
static int ready[MOST], head, tail, total;
static struct { pid_t pid; int node; } running[256];

extern char **environ;

static void link_nodes(int parent, int child) {
    struct node *from = &nodes[parent];
    if (from->count == from->room) {
        from->room = from->room ? from->room * 2 : 4;
        from->children = realloc(from->children, from->room * sizeof *from->children);
    }
    from->children[from->count++] = child;
    nodes[child].parents++;
}

static void read_dag(void) {
    static char line[1 << 20];
    while (fgets(line, sizeof line, stdin)) {
        char *word = strtok(line, " \n");
        if (!word) continue;
        int id = atoi(word);
        while ((word = strtok(NULL, " \n"))) link_nodes(atoi(word), id);
        total++;
    }
}

static pid_t start(void) {
    char *argv[] = {"sh", "-c", "true", NULL};
    pid_t pid;
    if (posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ)) exit(1);
    return pid;
}

static double seconds(struct timeval t) { return t.tv_sec + t.tv_usec / 1e6; }

static double cpu(int who) {
    struct rusage use;
    getrusage(who, &use);
    return seconds(use.ru_utime) + seconds(use.ru_stime);
}

int main(int argc, char **argv) {
    int places = argc > 1 ? atoi(argv[1]) : 2, busy = 0, done = 0;
    struct timespec from, to;
    read_dag();
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int id = 0; id < total; id++)
        if (!nodes[id].parents) ready[tail++] = id;
    while (done < total) {
        while (busy < places && head < tail) {
            running[busy].node = ready[head++];
            running[busy++].pid = start();
        }
        pid_t pid = waitpid(-1, NULL, 0);
        for (int i = 0; i < busy; i++) {
            if (running[i].pid != pid) continue;
            struct node *ended = &nodes[running[i].node];
            running[i] = running[--busy];
            done++;
            for (int c = 0; c < ended->count; c++)
                if (--nodes[ended->children[c]].parents == 0) ready[tail++] = ended->children[c];
            break;
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    double wall = (to.tv_sec - from.tv_sec) + (to.tv_nsec - from.tv_nsec) / 1e9;
    printf("{\"wall\": %.6f, \"cpu\": %.6f}\n", wall, cpu(RUSAGE_SELF) + cpu(RUSAGE_CHILDREN));
    return 0;
}
