/** How the local PostgreSQL server is set up: little memory, two cores, everything accepted flushed to disk. */

export const settings = (major: number): Record<string, string> => ({
  // The promise behind every 2xx, said here so that no postgresql.conf can weaken it.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // Eight connections of the service and its listener, commands, psql, and three kept for a superuser.
  max_connections: '24',
  // The pages that a queue touches; what is older comes from the system's cache.
  shared_buffers: '32MB',
  work_mem: '4MB',
  maintenance_work_mem: '16MB',
  // A sample of 9,000 rows instead of 30,000: ANALYZE holds them in memory, and the plans need no more.
  default_statistics_target: '30',
  // Checkpoints by time, spread over most of it: written evenly, never in a burst that commits wait for.
  checkpoint_timeout: '5min',
  checkpoint_completion_target: '0.9',
  max_wal_size: '1GB',
  min_wal_size: '80MB',
  wal_buffers: '4MB',
  // Pages in full after a checkpoint are most of the log; compressed they are a third.
  wal_compression: 'on',
  // A backup reads the log from here; nothing is sent anywhere.
  wal_level: 'replica',
  max_wal_senders: '0',
  max_replication_slots: '2',
  // Two cores: a statement of ours is never worth several processes, nor compiling.
  max_worker_processes: '2',
  max_parallel_workers: '0',
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  ...(major >= 18 && { io_method: 'sync' }),
  // A queue makes dead rows as fast as it delivers: looked at often, cleaned in small slices.
  autovacuum: 'on',
  autovacuum_naptime: '20s',
  autovacuum_max_workers: '2',
  autovacuum_vacuum_cost_delay: '2ms',
  autovacuum_vacuum_cost_limit: '400',
  // Start, stop, recovery and what ended it. A refused statement is reported by the service itself.
  log_min_messages: 'log',
  log_checkpoints: 'off',
  log_autovacuum_min_duration: '-1',
  log_line_prefix: '',
  logging_collector: 'off',
  log_destination: 'stderr',
  timezone: 'UTC',
})
