-- The waits in queues that servers recorded, in milliseconds.
SELECT
    priority_level,
    count(queue_wait_us) AS recorded,
    avg(queue_wait_us) / 1000 AS mean_ms,
    max(queue_wait_us) / 1000 AS longest_ms
FROM requests
WHERE queue_wait_us IS NOT NULL
GROUP BY priority_level
ORDER BY recorded DESC, priority_level;
