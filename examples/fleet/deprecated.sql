-- The callers of deprecated API versions, with the release that no longer serves them.
SELECT
    api_group,
    api_version,
    resource,
    removed_release,
    user,
    user_agent,
    count(*) AS requests
FROM requests
WHERE deprecated
GROUP BY api_group, api_version, resource, removed_release, user, user_agent
ORDER BY requests DESC, user, user_agent;
