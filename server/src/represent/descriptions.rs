//! The descriptions of table columns, word for word as in a real server.

pub(super) const NAME: &str = "Name must be unique within a namespace. Is required when creating resources, although \
     some resources may allow a client to request the generation of an appropriate name \
     automatically. Name is primarily intended for creation idempotence and configuration \
     definition. Cannot be updated. More info: \
     https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
pub(super) const OLD_NAME: &str = "Name must be unique within a namespace. Is required when creating resources, although \
     some resources may allow a client to request the generation of an appropriate name \
     automatically. Name is primarily intended for creation idempotence and configuration \
     definition. Cannot be updated. More info: http://kubernetes.io/docs/user-guide/identifiers#names";
pub(super) const AGE: &str = "CreationTimestamp is a timestamp representing the server time when this object was \
     created. It is not guaranteed to be set in happens-before order across separate \
     operations. Clients may not set this value. It is represented in RFC3339 form and is in \
     UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: \
     https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";
pub(super) const CREATED_AT: &str = AGE;
pub(super) const PRIORITY_LEVEL: &str =
    "`name` is the name of the priority level configuration being referenced Required.";
pub(super) const MATCHING_PRECEDENCE: &str = "`matchingPrecedence` is used to choose among the FlowSchemas that match a given request. \
     The chosen FlowSchema is among those with the numerically lowest (which we take to be \
     logically highest) MatchingPrecedence.  Each MatchingPrecedence value must be ranged in \
     [1,10000]. Note that if the precedence is not specified, it will be set to 1000 as \
     default.";
pub(super) const DISTINGUISHER_METHOD: &str = "`distinguisherMethod` defines how to compute the flow distinguisher for requests that \
     match this schema. `nil` specifies that the distinguisher is disabled and thus will \
     always be the empty string.";
pub(super) const MISSING_LEVEL: &str =
    "references a broken or non-existent PriorityLevelConfiguration";
pub(super) const TYPE: &str = "`type` indicates whether this priority level is subject to limitation on request \
     execution.  A value of `\"Exempt\"` means that requests of this priority level are not \
     subject to a limit (and thus are never queued) and do not detract from the capacity made \
     available to other priority levels.  A value of `\"Limited\"` means that (a) requests of \
     this priority level _are_ subject to limits and (b) some of the server's limited \
     capacity is made available exclusively to this priority level. Required.";
pub(super) const QUEUES: &str = "`queues` is the number of queues for this priority level. The queues exist independently \
     at each apiserver. The value must be positive.  Setting it to 1 effectively precludes \
     shufflesharding and thus makes the distinguisher method of associated flow schemas \
     irrelevant.  This field has a default value of 64.";
pub(super) const HAND_SIZE: &str = "`handSize` is a small positive number that configures the shuffle sharding of requests \
     into queues.  When enqueuing a request at this priority level the request's flow \
     identifier (a string pair) is hashed and the hash value is used to shuffle the list of \
     queues and deal a hand of the size specified here.  The request is put into one of the \
     shortest queues in that hand. `handSize` must be no larger than `queues`, and should be \
     significantly smaller (so that a few heavy flows do not saturate most of the queues).  See \
     the user-facing documentation for more extensive guidance on setting this field.  This \
     field has a default value of 8.";
pub(super) const QUEUE_LENGTH_LIMIT: &str = "`queueLengthLimit` is the maximum number of requests allowed to be waiting in a given \
     queue of this priority level at a time; excess requests are rejected.  This value must \
     be positive.  If not specified, it will be defaulted to 50.";
pub(super) const ASSURED_SHARES: &str = "`assuredConcurrencyShares` (ACS) configures the execution limit, which is a limit on the \
     number of requests of this priority level that may be exeucting at a given time.  ACS \
     must be a positive number. The server's concurrency limit (SCL) is divided among the \
     concurrency-controlled priority levels in proportion to their assured concurrency \
     shares. This produces the assured concurrency value (ACV) --- the number of requests \
     that may be executing at a time --- for each such priority level:\n\n            ACV(l) \
     = ceil( SCL * ACS(l) / ( sum[priority levels k] ACS(k) ) )\n\nbigger numbers of ACS mean \
     more reserved concurrent requests (at the expense of every other PL). This field has a \
     default value of 30.";
pub(super) const LIMITED_NOMINAL_SHARES: &str = "`nominalConcurrencyShares` (NCS) contributes to the computation of the \
     NominalConcurrencyLimit (NominalCL) of this level. This is the number of execution seats \
     available at this priority level. This is used both for requests dispatched from this \
     priority level as well as requests dispatched from other priority levels borrowing seats \
     from this level. The server's concurrency limit (ServerCL) is divided among the Limited \
     priority levels in proportion to their NCS values:\n\nNominalCL(i)  = ceil( ServerCL * \
     NCS(i) / sum_ncs ) sum_ncs = sum[limited priority level k] NCS(k)\n\nBigger numbers mean \
     a larger nominal concurrency limit, at the expense of every other Limited priority \
     level. This field has a default value of 30.";
pub(super) const NOMINAL_SHARES: &str = "`nominalConcurrencyShares` (NCS) contributes to the computation of the \
     NominalConcurrencyLimit (NominalCL) of this level. This is the number of execution seats \
     available at this priority level. This is used both for requests dispatched from this \
     priority level as well as requests dispatched from other priority levels borrowing seats \
     from this level. The server's concurrency limit (ServerCL) is divided among the Limited \
     priority levels in proportion to their NCS values:\n\nNominalCL(i)  = ceil( ServerCL * \
     NCS(i) / sum_ncs ) sum_ncs = sum[priority level k] NCS(k)\n\nBigger numbers mean a \
     larger nominal concurrency limit, at the expense of every other priority level. This \
     field has a default value of 30.";
pub(super) const NOMINAL_OR_ZERO_SHARES: &str = "`nominalConcurrencyShares` (NCS) contributes to the computation of the \
     NominalConcurrencyLimit (NominalCL) of this level. This is the number of execution seats \
     available at this priority level. This is used both for requests dispatched from this \
     priority level as well as requests dispatched from other priority levels borrowing seats \
     from this level. The server's concurrency limit (ServerCL) is divided among the Limited \
     priority levels in proportion to their NCS values:\n\nNominalCL(i)  = ceil( ServerCL * \
     NCS(i) / sum_ncs ) sum_ncs = sum[priority level k] NCS(k)\n\nBigger numbers mean a \
     larger nominal concurrency limit, at the expense of every other priority level.\n\nIf \
     not specified, this field defaults to a value of 30.\n\nSetting this field to zero \
     supports the construction of a \"jail\" for this priority level that is used to hold \
     some request(s)";
