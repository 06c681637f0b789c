-- Requests, seats, rejected requests and users of each flow schema.
SELECT
    flow_schema,
    priority_level,
    count(*) AS requests,
    CAST(sum(seats) AS BIGINT) AS seats,
    sum(CASE WHEN rejected THEN 1 ELSE 0 END) AS rejected,
    count(DISTINCT user) AS users
FROM requests
WHERE flow_schema IS NOT NULL
GROUP BY flow_schema, priority_level
ORDER BY requests DESC, flow_schema;
