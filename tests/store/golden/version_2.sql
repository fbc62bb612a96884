BEGIN TRANSACTION;
CREATE TABLE alert (
	id INTEGER NOT NULL, 
	created_at TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	level TEXT NOT NULL, 
	code INTEGER NOT NULL, 
	message TEXT NOT NULL, 
	instance INTEGER, 
	run INTEGER, 
	job_instance INTEGER, 
	acknowledged_at TEXT, 
	acknowledged_by TEXT, 
	sum INTEGER, 
	PRIMARY KEY (id)
);
CREATE TABLE audit (
	seq INTEGER NOT NULL, 
	time TEXT NOT NULL, 
	actor TEXT NOT NULL, 
	action TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	details TEXT NOT NULL, 
	hash TEXT NOT NULL, 
	PRIMARY KEY (seq)
);
INSERT INTO "audit" VALUES(1,'2026-11-22T22:35:57.529014+00:00','engine','define','task t','{"revision":1}','33237418c05b69fab264956510c6e3153e54a89ffa21ce9144520fb515232488');
CREATE TABLE context_line (
	id INTEGER NOT NULL, 
	text TEXT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "context_line" VALUES(4294967297,'{"seq":1,"time":"2026-11-22T22:35:57.538550+00:00","run":1,"actor":"engine","path":"$.TASK","new":{"ID":"t","NAME":"t","INSTANCE":1,"RUN":1,"PARAMS":{},"STATUS":"running","TRIGGER":"manual","SCHEDULED_TIME":"2026-11-22T22:35:57.534741+00:00","START_TIME":"2026-11-22T22:35:57.534741+00:00","DIRECTORY":"/tmp/golden/instances/task-t-1","WORKSPACE":"/tmp/golden"},"sum":"4f688582"}');
INSERT INTO "context_line" VALUES(4294967298,'{"seq":2,"time":"2026-11-22T22:35:57.538550+00:00","run":1,"actor":"engine","path":"$.JOB[''a'']","new":{"PARAMS":{},"RESULT":{},"STATUS":"running","EXIT_CODE":null,"ERROR_CODE":null,"ERROR_MESSAGE":null,"START_TIME":"2026-11-22T22:35:57.538550+00:00","WORKER":"local","ATTEMPT":1,"INSTANCE":1,"DIRECTORY":"/tmp/golden/instances/task-t-1/jobs/job-a-1"},"sum":"d3f49ae8"}');
INSERT INTO "context_line" VALUES(4294967299,'{"seq":3,"time":"2026-11-22T22:35:57.597993+00:00","run":1,"actor":"engine","path":"$.JOB[''a''].EXIT_CODE","old":null,"new":0,"sum":"f00cd91b"}');
INSERT INTO "context_line" VALUES(4294967300,'{"seq":4,"time":"2026-11-22T22:35:57.597993+00:00","run":1,"actor":"engine","path":"$.JOB[''a''].RESULT[''exit_code'']","new":0,"sum":"26a76a39"}');
INSERT INTO "context_line" VALUES(4294967301,'{"seq":5,"time":"2026-11-22T22:35:57.597993+00:00","run":1,"actor":"engine","path":"$.JOB[''a''].RESULT[''n'']","new":"42\n","sum":"bec67408"}');
INSERT INTO "context_line" VALUES(4294967302,'{"seq":6,"time":"2026-11-22T22:35:57.597993+00:00","run":1,"actor":"engine","path":"$.JOB[''a''].END_TIME","new":"2026-11-22T22:35:57.597993+00:00","sum":"9386a9ac"}');
INSERT INTO "context_line" VALUES(4294967303,'{"seq":7,"time":"2026-11-22T22:35:57.597993+00:00","run":1,"actor":"engine","path":"$.JOB[''a''].STATUS","old":"running","new":"succeeded","sum":"bdf8296a"}');
INSERT INTO "context_line" VALUES(4294967304,'{"seq":8,"time":"2026-11-22T22:35:57.597993+00:00","run":1,"actor":"engine","path":"$.JOB[''b'']","new":{"PARAMS":{},"RESULT":{},"STATUS":"running","EXIT_CODE":null,"ERROR_CODE":null,"ERROR_MESSAGE":null,"START_TIME":"2026-11-22T22:35:57.597993+00:00","WORKER":"local","ATTEMPT":1,"INSTANCE":2,"DIRECTORY":"/tmp/golden/instances/task-t-1/jobs/job-b-2"},"sum":"fbbd5030"}');
INSERT INTO "context_line" VALUES(4294967305,'{"seq":9,"time":"2026-11-22T22:35:57.604677+00:00","run":1,"actor":"engine","path":"$.JOB[''b''].EXIT_CODE","old":null,"new":3,"sum":"32bb761d"}');
INSERT INTO "context_line" VALUES(4294967306,'{"seq":10,"time":"2026-11-22T22:35:57.604677+00:00","run":1,"actor":"engine","path":"$.JOB[''b''].RESULT[''exit_code'']","new":3,"sum":"69302774"}');
INSERT INTO "context_line" VALUES(4294967307,'{"seq":11,"time":"2026-11-22T22:35:57.604677+00:00","run":1,"actor":"engine","path":"$.JOB[''b''].ERROR_CODE","old":null,"new":-11000001003,"sum":"fc6e1423"}');
INSERT INTO "context_line" VALUES(4294967308,'{"seq":12,"time":"2026-11-22T22:35:57.604677+00:00","run":1,"actor":"engine","path":"$.JOB[''b''].ERROR_MESSAGE","old":null,"new":"exit status 3","sum":"d1c7a17d"}');
INSERT INTO "context_line" VALUES(4294967309,'{"seq":13,"time":"2026-11-22T22:35:57.604677+00:00","run":1,"actor":"engine","path":"$.JOB[''b''].END_TIME","new":"2026-11-22T22:35:57.604677+00:00","sum":"01542e34"}');
INSERT INTO "context_line" VALUES(4294967310,'{"seq":14,"time":"2026-11-22T22:35:57.604677+00:00","run":1,"actor":"engine","path":"$.JOB[''b''].STATUS","old":"running","new":"failed","sum":"b3106d93"}');
INSERT INTO "context_line" VALUES(4294967311,'{"seq":15,"time":"2026-11-22T22:35:57.604677+00:00","run":1,"actor":"engine","path":"$.TASK.END_TIME","new":"2026-11-22T22:35:57.604677+00:00","sum":"29dd37bf"}');
INSERT INTO "context_line" VALUES(4294967312,'{"seq":16,"time":"2026-11-22T22:35:57.604677+00:00","run":1,"actor":"engine","path":"$.TASK.STATUS","old":"running","new":"succeeded","sum":"d83df912"}');
CREATE TABLE definition (
	kind TEXT NOT NULL, 
	id TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	hash TEXT, 
	project TEXT, 
	state TEXT, 
	position INTEGER DEFAULT '0' NOT NULL, 
	PRIMARY KEY (kind, id)
)
 WITHOUT ROWID

;
INSERT INTO "definition" VALUES('task','t',1,'8dcc7fb5f2e9bdfa69092cb21981751817bfcf4d982e654efc3b40df8db20463',NULL,'init',0);
CREATE TABLE definition_revision (
	kind TEXT NOT NULL, 
	id TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	created_at TEXT NOT NULL, 
	content TEXT, 
	hash TEXT, 
	project TEXT, 
	actor TEXT, 
	PRIMARY KEY (kind, id, revision)
);
INSERT INTO "definition_revision" VALUES('task','t',1,'2026-11-22T22:35:57.529014+00:00','{"nodes":{"a":{"type":"shell","process":"echo out; echo 42 > outputs/n"},"b":{"type":"shell","process":"exit 3","continue_on_failure":true,"after":["a"]}}}','8dcc7fb5f2e9bdfa69092cb21981751817bfcf4d982e654efc3b40df8db20463',NULL,NULL);
CREATE TABLE exception (
	id INTEGER NOT NULL, 
	code INTEGER NOT NULL, 
	message TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	task TEXT, 
	job TEXT, 
	node TEXT, 
	instance INTEGER, 
	run INTEGER, 
	job_instance INTEGER, 
	attempt INTEGER, 
	worker TEXT, 
	details TEXT DEFAULT '{}' NOT NULL, 
	status TEXT DEFAULT 'open' NOT NULL, 
	handled_at TEXT, 
	handled_by TEXT, 
	note TEXT, 
	sum INTEGER, 
	PRIMARY KEY (id)
);
INSERT INTO "exception" VALUES(1,-11000001003,'exit status 3','2026-11-22T22:35:57.604677+00:00','t','b','b',1,1,2,1,'local','{}','open',NULL,NULL,NULL,3350144178);
CREATE TABLE execute_stat (
	kind TEXT NOT NULL, 
	id TEXT NOT NULL, 
	counts INTEGER NOT NULL, 
	failed INTEGER NOT NULL, 
	success INTEGER NOT NULL, 
	total_execute_time DOUBLE NOT NULL, 
	max_execute_time DOUBLE NOT NULL, 
	PRIMARY KEY (kind, id)
)
 WITHOUT ROWID

;
INSERT INTO "execute_stat" VALUES('job','t.a',1,0,1,1.48466050000024551991e-02,1.48466050000024551991e-02);
INSERT INTO "execute_stat" VALUES('job','t.b',1,1,0,5.81284499992307246429e-03,5.81284499992307246429e-03);
INSERT INTO "execute_stat" VALUES('task','t',1,0,1,7.5437388999944232637e-02,7.5437388999944232637e-02);
CREATE TABLE execute_stat_code (
	kind TEXT NOT NULL, 
	id TEXT NOT NULL, 
	code INTEGER NOT NULL, 
	counts INTEGER NOT NULL, 
	PRIMARY KEY (kind, id, code)
)
 WITHOUT ROWID

;
INSERT INTO "execute_stat_code" VALUES('job','t.b',-11000001003,1);
CREATE TABLE id_block (
	name TEXT NOT NULL, 
	next INTEGER NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "id_block" VALUES('instance',2);
INSERT INTO "id_block" VALUES('job_instance',3);
INSERT INTO "id_block" VALUES('exception',2);
CREATE TABLE instance (
	id INTEGER NOT NULL, 
	task TEXT NOT NULL, 
	status TEXT NOT NULL, 
	"trigger" TEXT NOT NULL, 
	scheduled_time TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	run INTEGER DEFAULT '0' NOT NULL, 
	started_at TEXT, 
	ended_at TEXT, 
	name TEXT, 
	project TEXT, 
	priority INTEGER DEFAULT '0' NOT NULL, 
	error_code INTEGER, 
	error_message TEXT, 
	params TEXT DEFAULT '{}' NOT NULL, 
	results TEXT DEFAULT '{}' NOT NULL, 
	definition INTEGER, 
	edited TEXT DEFAULT '[]' NOT NULL, 
	directory TEXT, 
	worker TEXT, 
	actor TEXT, 
	parent INTEGER, 
	reason TEXT, 
	sum INTEGER, 
	PRIMARY KEY (id), 
	UNIQUE (task, scheduled_time)
);
INSERT INTO "instance" VALUES(1,'t','succeeded','manual','2026-11-22T22:35:57.534741+00:00','2026-11-22T22:35:57.534741+00:00',1,'2026-11-22T22:35:57.534741+00:00','2026-11-22T22:35:57.604677+00:00',NULL,NULL,0,NULL,NULL,'{}','{}',NULL,'[]','/tmp/golden/instances/task-t-1',NULL,'operator',NULL,NULL,2992997170);
CREATE TABLE job_instance (
	id INTEGER NOT NULL, 
	instance INTEGER NOT NULL, 
	run INTEGER NOT NULL, 
	node TEXT NOT NULL, 
	job TEXT NOT NULL, 
	status TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	type TEXT DEFAULT '' NOT NULL, 
	round INTEGER DEFAULT '1' NOT NULL, 
	"index" INTEGER, 
	attempt INTEGER DEFAULT '0' NOT NULL, 
	priority INTEGER DEFAULT '0' NOT NULL, 
	started_at TEXT, 
	ended_at TEXT, 
	due_at TEXT, 
	worker TEXT, 
	pid INTEGER, 
	exit_code INTEGER, 
	error_code INTEGER, 
	error_message TEXT, 
	params TEXT DEFAULT '{}' NOT NULL, 
	results TEXT DEFAULT '{}' NOT NULL, 
	branch TEXT, 
	based_on_edit BOOLEAN DEFAULT 0 NOT NULL, 
	directory TEXT, 
	parent INTEGER, 
	reason TEXT, 
	handling TEXT DEFAULT '{}' NOT NULL, 
	sum INTEGER, 
	PRIMARY KEY (id), 
	FOREIGN KEY(instance) REFERENCES instance (id) ON DELETE CASCADE
);
INSERT INTO "job_instance" VALUES(1,1,1,'a','a','succeeded','2026-11-22T22:35:57.538550+00:00','shell',1,NULL,1,0,'2026-11-22T22:35:57.538550+00:00','2026-11-22T22:35:57.597993+00:00',NULL,'local',12024,0,NULL,NULL,'{}','{"exit_code":0,"n":"42\n"}',NULL,0,'/tmp/golden/instances/task-t-1/jobs/job-a-1',NULL,NULL,'{}',1397218463);
INSERT INTO "job_instance" VALUES(2,1,1,'b','b','failed','2026-11-22T22:35:57.538550+00:00','shell',1,NULL,1,0,'2026-11-22T22:35:57.597993+00:00','2026-11-22T22:35:57.604677+00:00',NULL,'local',12026,3,-11000001003,'exit status 3','{}','{"exit_code":3}',NULL,0,'/tmp/golden/instances/task-t-1/jobs/job-b-2',NULL,NULL,'{}',1392431835);
CREATE TABLE job_run (
	job_instance INTEGER NOT NULL, 
	attempt INTEGER NOT NULL, 
	status TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	started_at TEXT, 
	ended_at TEXT, 
	stage TEXT, 
	worker TEXT, 
	pid INTEGER, 
	start_ticks INTEGER, 
	boot_id TEXT, 
	mark TEXT, 
	exit_code INTEGER, 
	signal INTEGER, 
	error_code INTEGER, 
	error_message TEXT, 
	results TEXT DEFAULT '{}' NOT NULL, 
	directory TEXT, 
	sum INTEGER, 
	PRIMARY KEY (job_instance, attempt), 
	FOREIGN KEY(job_instance) REFERENCES job_instance (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
INSERT INTO "job_run" VALUES(1,1,'succeeded','2026-11-22T22:35:57.538550+00:00','2026-11-22T22:35:57.538550+00:00','2026-11-22T22:35:57.597993+00:00',NULL,'local',12024,97316,'17384778-2691-4057-91be-c9ef42c63ed0','1.1.22b6a09c7d650d53',0,NULL,NULL,NULL,'{}',NULL,2146059878);
INSERT INTO "job_run" VALUES(2,1,'failed','2026-11-22T22:35:57.597993+00:00','2026-11-22T22:35:57.597993+00:00','2026-11-22T22:35:57.604677+00:00',NULL,'local',12026,97317,'17384778-2691-4057-91be-c9ef42c63ed0','2.1.75777a6f8702d1d9',3,NULL,-11000001003,'exit status 3','{}',NULL,1640033340);
CREATE TABLE meta (
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "meta" VALUES('schema_version','2');
INSERT INTO "meta" VALUES('audit_head','[1, "33237418c05b69fab264956510c6e3153e54a89ffa21ce9144520fb515232488"]');
CREATE TABLE run (
	instance INTEGER NOT NULL, 
	run INTEGER NOT NULL, 
	status TEXT NOT NULL, 
	"trigger" TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	started_at TEXT, 
	ended_at TEXT, 
	params TEXT DEFAULT '{}' NOT NULL, 
	results TEXT DEFAULT '{}' NOT NULL, 
	error_code INTEGER, 
	error_message TEXT, 
	definition INTEGER, 
	snapshot TEXT, 
	selection TEXT DEFAULT '{}' NOT NULL, 
	actor TEXT, 
	reason TEXT, 
	worker TEXT, 
	pid INTEGER, 
	sum INTEGER, 
	PRIMARY KEY (instance, run), 
	FOREIGN KEY(instance) REFERENCES instance (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
INSERT INTO "run" VALUES(1,1,'succeeded','manual','2026-11-22T22:35:57.534741+00:00','2026-11-22T22:35:57.534741+00:00','2026-11-22T22:35:57.604677+00:00','{}','{}',NULL,NULL,NULL,'30d767dbbe5def8dbe4a2bf9bde3078a04ffa43a20bab66a2070f557365e8abf','{"clock":{"boot":"17384778-2691-4057-91be-c9ef42c63ed0","ticks":97311}}','operator',NULL,NULL,12021,681720340);
CREATE TABLE setting (
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "setting" VALUES('ending','[]');
CREATE TABLE snapshot (
	hash TEXT NOT NULL, 
	content TEXT NOT NULL, 
	PRIMARY KEY (hash)
);
INSERT INTO "snapshot" VALUES('30d767dbbe5def8dbe4a2bf9bde3078a04ffa43a20bab66a2070f557365e8abf','{"skerry":1,"tasks":{"t":{"nodes":{"a":{"type":"shell","process":"echo out; echo 42 > outputs/n"},"b":{"type":"shell","process":"exit 3","continue_on_failure":true,"after":["a"]}}}}}');
CREATE INDEX alert_by_instance ON alert (instance, id);
CREATE INDEX alert_open ON alert (id) WHERE acknowledged_at IS NULL;
CREATE INDEX exception_by_code ON exception (code, id);
CREATE INDEX exception_by_instance ON exception (instance, id);
CREATE INDEX exception_by_status ON exception (status, id);
CREATE INDEX exception_by_task ON exception (task, id);
CREATE INDEX instance_by_parent ON instance (parent) WHERE parent IS NOT NULL;
CREATE INDEX instance_by_status ON instance (status, scheduled_time, id);
CREATE INDEX instance_by_task_status ON instance (task, status, scheduled_time, id);
CREATE INDEX instance_by_time ON instance (scheduled_time, id) WHERE status <> 'planned';
CREATE INDEX job_by_instance ON job_instance (instance, id);
CREATE INDEX run_by_snapshot ON run (snapshot);
CREATE TRIGGER instance_sum_insert AFTER INSERT ON "instance" BEGIN UPDATE "instance" SET sum = skerry_crc(CAST(json_array(NEW."id", NEW."task", NEW."status", NEW."trigger", NEW."scheduled_time", NEW."created_at", NEW."run", NEW."started_at", NEW."ended_at", NEW."name", NEW."project", NEW."priority", NEW."error_code", NEW."error_message", NEW."params", NEW."results", NEW."definition", NEW."edited", NEW."directory", NEW."worker", NEW."actor", NEW."parent", NEW."reason") AS BLOB)) WHERE "id" = NEW."id"; END;
CREATE TRIGGER instance_sum_update AFTER UPDATE OF "id", "task", "status", "trigger", "scheduled_time", "created_at", "run", "started_at", "ended_at", "name", "project", "priority", "error_code", "error_message", "params", "results", "definition", "edited", "directory", "worker", "actor", "parent", "reason" ON "instance" BEGIN UPDATE "instance" SET sum = skerry_crc(CAST(json_array(NEW."id", NEW."task", NEW."status", NEW."trigger", NEW."scheduled_time", NEW."created_at", NEW."run", NEW."started_at", NEW."ended_at", NEW."name", NEW."project", NEW."priority", NEW."error_code", NEW."error_message", NEW."params", NEW."results", NEW."definition", NEW."edited", NEW."directory", NEW."worker", NEW."actor", NEW."parent", NEW."reason") AS BLOB)) WHERE "id" = NEW."id"; END;
CREATE TRIGGER run_sum_insert AFTER INSERT ON "run" BEGIN UPDATE "run" SET sum = skerry_crc(CAST(json_array(NEW."instance", NEW."run", NEW."status", NEW."trigger", NEW."created_at", NEW."started_at", NEW."ended_at", NEW."params", NEW."results", NEW."error_code", NEW."error_message", NEW."definition", NEW."snapshot", NEW."selection", NEW."actor", NEW."reason", NEW."worker", NEW."pid") AS BLOB)) WHERE "instance" = NEW."instance" AND "run" = NEW."run"; END;
CREATE TRIGGER run_sum_update AFTER UPDATE OF "instance", "run", "status", "trigger", "created_at", "started_at", "ended_at", "params", "results", "error_code", "error_message", "definition", "snapshot", "selection", "actor", "reason", "worker", "pid" ON "run" BEGIN UPDATE "run" SET sum = skerry_crc(CAST(json_array(NEW."instance", NEW."run", NEW."status", NEW."trigger", NEW."created_at", NEW."started_at", NEW."ended_at", NEW."params", NEW."results", NEW."error_code", NEW."error_message", NEW."definition", NEW."snapshot", NEW."selection", NEW."actor", NEW."reason", NEW."worker", NEW."pid") AS BLOB)) WHERE "instance" = NEW."instance" AND "run" = NEW."run"; END;
CREATE TRIGGER job_instance_sum_insert AFTER INSERT ON "job_instance" BEGIN UPDATE "job_instance" SET sum = skerry_crc(CAST(json_array(NEW."id", NEW."instance", NEW."run", NEW."node", NEW."job", NEW."status", NEW."created_at", NEW."type", NEW."round", NEW."index", NEW."attempt", NEW."priority", NEW."started_at", NEW."ended_at", NEW."due_at", NEW."worker", NEW."pid", NEW."exit_code", NEW."error_code", NEW."error_message", NEW."params", NEW."results", NEW."branch", NEW."based_on_edit", NEW."directory", NEW."parent", NEW."reason", NEW."handling") AS BLOB)) WHERE "id" = NEW."id"; END;
CREATE TRIGGER job_instance_sum_update AFTER UPDATE OF "id", "instance", "run", "node", "job", "status", "created_at", "type", "round", "index", "attempt", "priority", "started_at", "ended_at", "due_at", "worker", "pid", "exit_code", "error_code", "error_message", "params", "results", "branch", "based_on_edit", "directory", "parent", "reason", "handling" ON "job_instance" BEGIN UPDATE "job_instance" SET sum = skerry_crc(CAST(json_array(NEW."id", NEW."instance", NEW."run", NEW."node", NEW."job", NEW."status", NEW."created_at", NEW."type", NEW."round", NEW."index", NEW."attempt", NEW."priority", NEW."started_at", NEW."ended_at", NEW."due_at", NEW."worker", NEW."pid", NEW."exit_code", NEW."error_code", NEW."error_message", NEW."params", NEW."results", NEW."branch", NEW."based_on_edit", NEW."directory", NEW."parent", NEW."reason", NEW."handling") AS BLOB)) WHERE "id" = NEW."id"; END;
CREATE TRIGGER job_run_sum_insert AFTER INSERT ON "job_run" BEGIN UPDATE "job_run" SET sum = skerry_crc(CAST(json_array(NEW."job_instance", NEW."attempt", NEW."status", NEW."created_at", NEW."started_at", NEW."ended_at", NEW."stage", NEW."worker", NEW."pid", NEW."start_ticks", NEW."boot_id", NEW."mark", NEW."exit_code", NEW."signal", NEW."error_code", NEW."error_message", NEW."results", NEW."directory") AS BLOB)) WHERE "job_instance" = NEW."job_instance" AND "attempt" = NEW."attempt"; END;
CREATE TRIGGER job_run_sum_update AFTER UPDATE OF "job_instance", "attempt", "status", "created_at", "started_at", "ended_at", "stage", "worker", "pid", "start_ticks", "boot_id", "mark", "exit_code", "signal", "error_code", "error_message", "results", "directory" ON "job_run" BEGIN UPDATE "job_run" SET sum = skerry_crc(CAST(json_array(NEW."job_instance", NEW."attempt", NEW."status", NEW."created_at", NEW."started_at", NEW."ended_at", NEW."stage", NEW."worker", NEW."pid", NEW."start_ticks", NEW."boot_id", NEW."mark", NEW."exit_code", NEW."signal", NEW."error_code", NEW."error_message", NEW."results", NEW."directory") AS BLOB)) WHERE "job_instance" = NEW."job_instance" AND "attempt" = NEW."attempt"; END;
CREATE TRIGGER exception_sum_insert AFTER INSERT ON "exception" BEGIN UPDATE "exception" SET sum = skerry_crc(CAST(json_array(NEW."id", NEW."code", NEW."message", NEW."created_at", NEW."task", NEW."job", NEW."node", NEW."instance", NEW."run", NEW."job_instance", NEW."attempt", NEW."worker", NEW."details", NEW."status", NEW."handled_at", NEW."handled_by", NEW."note") AS BLOB)) WHERE "id" = NEW."id"; END;
CREATE TRIGGER exception_sum_update AFTER UPDATE OF "id", "code", "message", "created_at", "task", "job", "node", "instance", "run", "job_instance", "attempt", "worker", "details", "status", "handled_at", "handled_by", "note" ON "exception" BEGIN UPDATE "exception" SET sum = skerry_crc(CAST(json_array(NEW."id", NEW."code", NEW."message", NEW."created_at", NEW."task", NEW."job", NEW."node", NEW."instance", NEW."run", NEW."job_instance", NEW."attempt", NEW."worker", NEW."details", NEW."status", NEW."handled_at", NEW."handled_by", NEW."note") AS BLOB)) WHERE "id" = NEW."id"; END;
CREATE TRIGGER alert_sum_insert AFTER INSERT ON "alert" BEGIN UPDATE "alert" SET sum = skerry_crc(CAST(json_array(NEW."id", NEW."created_at", NEW."kind", NEW."level", NEW."code", NEW."message", NEW."instance", NEW."run", NEW."job_instance", NEW."acknowledged_at", NEW."acknowledged_by") AS BLOB)) WHERE "id" = NEW."id"; END;
CREATE TRIGGER alert_sum_update AFTER UPDATE OF "id", "created_at", "kind", "level", "code", "message", "instance", "run", "job_instance", "acknowledged_at", "acknowledged_by" ON "alert" BEGIN UPDATE "alert" SET sum = skerry_crc(CAST(json_array(NEW."id", NEW."created_at", NEW."kind", NEW."level", NEW."code", NEW."message", NEW."instance", NEW."run", NEW."job_instance", NEW."acknowledged_at", NEW."acknowledged_by") AS BLOB)) WHERE "id" = NEW."id"; END;
COMMIT;
