-- Requests, seats, rejected requests and users of each priority level.
SELECT
    priority_level,
    count(*) AS requests,
    CAST(sum(seats) AS BIGINT) AS seats,
    sum(CASE WHEN rejected THEN 1 ELSE 0 END) AS rejected,
    count(DISTINCT user) AS users
FROM requests
WHERE priority_level IS NOT NULL
GROUP BY priority_level
ORDER BY requests DESC, priority_level;
