-- The users and user agents with the most requests.
SELECT
    user,
    user_agent,
    count(*) AS requests,
    CAST(sum(seats) AS BIGINT) AS seats,
    sum(CASE WHEN verb = 'list' THEN 1 ELSE 0 END) AS lists,
    sum(CASE WHEN verb = 'watch' THEN 1 ELSE 0 END) AS watches,
    sum(CASE WHEN rejected THEN 1 ELSE 0 END) AS rejected
FROM requests
GROUP BY user, user_agent
ORDER BY requests DESC, user, user_agent
LIMIT 100;
