/* A thread of the recorded process: it makes one call at a time, when it is told to. */
struct worker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    void (*step)(void);
    int busy;
};

static struct worker workers[THREADS];

static inline void *work(void *given) {
    struct worker *worker = given;
    pthread_mutex_lock(&worker->lock);
    for (;;) {
        while (!worker->busy) pthread_cond_wait(&worker->changed, &worker->lock);
        pthread_mutex_unlock(&worker->lock);
        worker->step();
        pthread_mutex_lock(&worker->lock);
        worker->busy = 0;
        pthread_cond_broadcast(&worker->changed);
    }
    return NULL;
}

static inline void wait_for(int number) {
    struct worker *worker = &workers[number];
    pthread_mutex_lock(&worker->lock);
    while (worker->busy) pthread_cond_wait(&worker->changed, &worker->lock);
    pthread_mutex_unlock(&worker->lock);
}

static inline void start(int number, void (*step)(void)) {
    struct worker *worker = &workers[number];
    wait_for(number);
    pthread_mutex_lock(&worker->lock);
    worker->step = step;
    worker->busy = 1;
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
}

static inline void start_workers(void) {
    int number;
    for (number = 0; number < THREADS; ++number) {
        pthread_mutex_init(&workers[number].lock, NULL);
        pthread_cond_init(&workers[number].changed, NULL);
        if (pthread_create(&workers[number].thread, NULL, work, &workers[number]) != 0) abort();
    }
}

