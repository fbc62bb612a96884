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
INSERT INTO "audit" VALUES(1,'2026-11-24T00:52:41.987566+00:00','engine','define','task t','{"revision":1}','117905165e84f4277e168345e7a640e909e6d533ab7f5edbd10c8d876fd99553');
INSERT INTO "audit" VALUES(2,'2026-11-24T00:52:41.987566+00:00','engine','define','task u','{"revision":1}','0a873f8f2e080c4fbce4590d1e37a4cc1ac42b0afabc205189b60b907816831a');
INSERT INTO "audit" VALUES(3,'2026-11-24T00:52:41.989432+00:00','engine','state','task t','{"state":"online"}','6b7455e09d69ea14ea10d56067b81da630140c37f7fbfc421a1e09a63904c56c');
CREATE TABLE context_line (
	id INTEGER NOT NULL, 
	text TEXT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "context_line" VALUES(4294967297,'{"seq":1,"time":"2026-11-24T00:52:41.993139+00:00","run":1,"actor":"engine","path":"$.TASK","new":{"ID":"t","NAME":"t","INSTANCE":1,"RUN":1,"PARAMS":{},"STATUS":"running","TRIGGER":"manual","SCHEDULED_TIME":"2026-11-24T00:52:41.992253+00:00","START_TIME":"2026-11-24T00:52:41.992253+00:00","DIRECTORY":"/tmp/harbour/instances/task-t-1","WORKSPACE":"/tmp/harbour"},"sum":"d14ce5fe"}');
INSERT INTO "context_line" VALUES(4294967298,'{"seq":2,"time":"2026-11-24T00:52:41.993139+00:00","run":1,"actor":"engine","path":"$.JOB[''a'']","new":{"PARAMS":{},"RESULT":{},"STATUS":"running","EXIT_CODE":null,"ERROR_CODE":null,"ERROR_MESSAGE":null,"START_TIME":"2026-11-24T00:52:41.993139+00:00","WORKER":"local","ATTEMPT":1,"INSTANCE":1,"DIRECTORY":"/tmp/harbour/instances/task-t-1/jobs/job-a-1"},"sum":"08a46422"}');
INSERT INTO "context_line" VALUES(4294967299,'{"seq":3,"time":"2026-11-24T00:52:42.011021+00:00","run":1,"actor":"engine","path":"$.JOB[''a''].EXIT_CODE","old":null,"new":0,"sum":"a828dfd9"}');
INSERT INTO "context_line" VALUES(4294967300,'{"seq":4,"time":"2026-11-24T00:52:42.011021+00:00","run":1,"actor":"engine","path":"$.JOB[''a''].RESULT[''exit_code'']","new":0,"sum":"6aedb904"}');
INSERT INTO "context_line" VALUES(4294967301,'{"seq":5,"time":"2026-11-24T00:52:42.011021+00:00","run":1,"actor":"engine","path":"$.JOB[''a''].END_TIME","new":"2026-11-24T00:52:42.011021+00:00","sum":"d63918d8"}');
INSERT INTO "context_line" VALUES(4294967302,'{"seq":6,"time":"2026-11-24T00:52:42.011021+00:00","run":1,"actor":"engine","path":"$.JOB[''a''].STATUS","old":"running","new":"succeeded","sum":"d90d7b81"}');
INSERT INTO "context_line" VALUES(4294967303,'{"seq":7,"time":"2026-11-24T00:52:42.011021+00:00","run":1,"actor":"engine","path":"$.TASK.END_TIME","new":"2026-11-24T00:52:42.011021+00:00","sum":"551321b7"}');
INSERT INTO "context_line" VALUES(4294967304,'{"seq":8,"time":"2026-11-24T00:52:42.011021+00:00","run":1,"actor":"engine","path":"$.TASK.STATUS","old":"running","new":"succeeded","sum":"569458a3"}');
INSERT INTO "context_line" VALUES(8589934593,'{"seq":1,"time":"2026-11-24T00:52:42.016230+00:00","run":1,"actor":"engine","path":"$.TASK","new":{"ID":"u","NAME":"u","INSTANCE":2,"RUN":1,"PARAMS":{},"STATUS":"running","TRIGGER":"manual","SCHEDULED_TIME":"2026-11-24T00:52:42.015630+00:00","START_TIME":"2026-11-24T00:52:42.015630+00:00","DIRECTORY":"/tmp/harbour/instances/task-u-2","WORKSPACE":"/tmp/harbour"},"sum":"b0233b2d"}');
INSERT INTO "context_line" VALUES(8589934594,'{"seq":2,"time":"2026-11-24T00:52:42.016230+00:00","run":1,"actor":"engine","path":"$.JOB[''a'']","new":{"PARAMS":{},"RESULT":{},"STATUS":"running","EXIT_CODE":null,"ERROR_CODE":null,"ERROR_MESSAGE":null,"START_TIME":"2026-11-24T00:52:42.016230+00:00","WORKER":"local","ATTEMPT":1,"INSTANCE":2,"DIRECTORY":"/tmp/harbour/instances/task-u-2/jobs/job-a-2"},"sum":"d33b7c4e"}');
INSERT INTO "context_line" VALUES(8589934595,'{"seq":3,"time":"2026-11-24T00:52:42.030939+00:00","run":1,"actor":"engine","path":"$.JOB[''a''].EXIT_CODE","old":null,"new":3,"sum":"c8f15d90"}');
INSERT INTO "context_line" VALUES(8589934596,'{"seq":4,"time":"2026-11-24T00:52:42.030939+00:00","run":1,"actor":"engine","path":"$.JOB[''a''].RESULT[''exit_code'']","new":3,"sum":"9ae87422"}');
INSERT INTO "context_line" VALUES(8589934597,'{"seq":5,"time":"2026-11-24T00:52:42.030939+00:00","run":1,"actor":"engine","path":"$.JOB[''a''].ERROR_CODE","old":null,"new":-11000001003,"sum":"50034a17"}');
INSERT INTO "context_line" VALUES(8589934598,'{"seq":6,"time":"2026-11-24T00:52:42.030939+00:00","run":1,"actor":"engine","path":"$.JOB[''a''].ERROR_MESSAGE","old":null,"new":"exit status 3","sum":"d0211eb6"}');
INSERT INTO "context_line" VALUES(8589934599,'{"seq":7,"time":"2026-11-24T00:52:42.030939+00:00","run":1,"actor":"engine","path":"$.JOB[''a''].END_TIME","new":"2026-11-24T00:52:42.030939+00:00","sum":"f3e17072"}');
INSERT INTO "context_line" VALUES(8589934600,'{"seq":8,"time":"2026-11-24T00:52:42.030939+00:00","run":1,"actor":"engine","path":"$.JOB[''a''].STATUS","old":"running","new":"failed","sum":"2bc82bd9"}');
INSERT INTO "context_line" VALUES(8589934601,'{"seq":9,"time":"2026-11-24T00:52:42.030939+00:00","run":1,"actor":"engine","path":"$.TASK.ERROR_CODE","new":-11000001003,"sum":"11488d92"}');
INSERT INTO "context_line" VALUES(8589934602,'{"seq":10,"time":"2026-11-24T00:52:42.030939+00:00","run":1,"actor":"engine","path":"$.TASK.ERROR_MESSAGE","new":"job ''a'': exit status 3","sum":"c47cf3bc"}');
INSERT INTO "context_line" VALUES(8589934603,'{"seq":11,"time":"2026-11-24T00:52:42.030939+00:00","run":1,"actor":"engine","path":"$.TASK.END_TIME","new":"2026-11-24T00:52:42.030939+00:00","sum":"0423e85f"}');
INSERT INTO "context_line" VALUES(8589934604,'{"seq":12,"time":"2026-11-24T00:52:42.030939+00:00","run":1,"actor":"engine","path":"$.TASK.STATUS","old":"running","new":"failed","sum":"d76da6dd"}');
CREATE TABLE definition (
	kind TEXT NOT NULL, 
	id TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	hash TEXT, 
	project TEXT, 
	state TEXT, 
	position INTEGER DEFAULT '0' NOT NULL, 
	sum INTEGER, 
	PRIMARY KEY (kind, id)
)
 WITHOUT ROWID

;
INSERT INTO "definition" VALUES('task','t',1,'2bed6aa6b5af7e62198195230a07afb0c1ce74a7e361040fd042934e80543c35',NULL,'online',0,619362084);
INSERT INTO "definition" VALUES('task','u',1,'71851cfae4ba1b95e69aea74ce45c4af844df2c7ac0ea30bf6174d664e23349a',NULL,'init',1,3939039105);
CREATE TABLE definition_revision (
	kind TEXT NOT NULL, 
	id TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	created_at TEXT NOT NULL, 
	content TEXT, 
	hash TEXT, 
	project TEXT, 
	actor TEXT, 
	sum INTEGER, 
	PRIMARY KEY (kind, id, revision)
);
INSERT INTO "definition_revision" VALUES('task','t',1,'2026-11-24T00:52:41.987566+00:00','{"schedule":{"level":"minute","every":5},"nodes":{"a":{"type":"shell","process":"echo hi"}}}','2bed6aa6b5af7e62198195230a07afb0c1ce74a7e361040fd042934e80543c35',NULL,NULL,691054608);
INSERT INTO "definition_revision" VALUES('task','u',1,'2026-11-24T00:52:41.987566+00:00','{"schedule":"manual","nodes":{"a":{"type":"shell","process":"exit 3"}}}','71851cfae4ba1b95e69aea74ce45c4af844df2c7ac0ea30bf6174d664e23349a',NULL,NULL,5417505);
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
INSERT INTO "exception" VALUES(1,-11000001003,'exit status 3','2026-11-24T00:52:42.030939+00:00','u','a','a',2,1,2,1,'local','{}','open',NULL,NULL,NULL,3348486111);
CREATE TABLE execute_stat (
	kind TEXT NOT NULL, 
	id TEXT NOT NULL, 
	counts INTEGER NOT NULL, 
	failed INTEGER NOT NULL, 
	success INTEGER NOT NULL, 
	total_execute_time DOUBLE NOT NULL, 
	max_execute_time DOUBLE NOT NULL, 
	sum INTEGER, 
	PRIMARY KEY (kind, id)
)
 WITHOUT ROWID

;
INSERT INTO "execute_stat" VALUES('job','t.a',1,0,1,1.62529499998527171555e-02,1.62529499998527171555e-02,1978832819);
INSERT INTO "execute_stat" VALUES('job','u.a',1,1,0,1.46326849999240948818e-02,1.46326849999240948818e-02,3979219073);
INSERT INTO "execute_stat" VALUES('task','t',1,0,1,1.8663398999933633604e-02,1.8663398999933633604e-02,4274528133);
INSERT INTO "execute_stat" VALUES('task','u',1,1,0,1.7287136000049940776e-02,1.7287136000049940776e-02,328303442);
CREATE TABLE execute_stat_code (
	kind TEXT NOT NULL, 
	id TEXT NOT NULL, 
	code INTEGER NOT NULL, 
	counts INTEGER NOT NULL, 
	sum INTEGER, 
	PRIMARY KEY (kind, id, code)
)
 WITHOUT ROWID

;
INSERT INTO "execute_stat_code" VALUES('job','u.a',-11000001003,1,1389202470);
INSERT INTO "execute_stat_code" VALUES('task','u',-11000001003,1,229031854);
CREATE TABLE id_block (
	name TEXT NOT NULL, 
	next INTEGER NOT NULL, 
	sum INTEGER, 
	PRIMARY KEY (name)
);
INSERT INTO "id_block" VALUES('instance',3,2942677744);
INSERT INTO "id_block" VALUES('job_instance',3,2847928202);
INSERT INTO "id_block" VALUES('exception',2,3190283319);
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
	why TEXT, 
	sum INTEGER, 
	PRIMARY KEY (id), 
	UNIQUE (task, scheduled_time)
);
INSERT INTO "instance" VALUES(1,'t','succeeded','manual','2026-11-24T00:52:41.992253+00:00','2026-11-24T00:52:41.992253+00:00',1,'2026-11-24T00:52:41.992253+00:00','2026-11-24T00:52:42.011021+00:00',NULL,NULL,0,NULL,NULL,'{}','{}',1,'[]','/tmp/harbour/instances/task-t-1',NULL,'operator',NULL,NULL,NULL,2067093212);
INSERT INTO "instance" VALUES(2,'u','failed','manual','2026-11-24T00:52:42.015630+00:00','2026-11-24T00:52:42.015630+00:00',1,'2026-11-24T00:52:42.015630+00:00','2026-11-24T00:52:42.030939+00:00',NULL,NULL,0,-11000001003,'job ''a'': exit status 3','{}','{}',1,'[]','/tmp/harbour/instances/task-u-2',NULL,'operator',NULL,NULL,NULL,1890679189);
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
	stop TEXT, 
	why TEXT, 
	sum INTEGER, 
	PRIMARY KEY (id), 
	FOREIGN KEY(instance) REFERENCES instance (id) ON DELETE CASCADE
);
INSERT INTO "job_instance" VALUES(1,1,1,'a','a','succeeded','2026-11-24T00:52:41.993139+00:00','shell',1,NULL,1,0,'2026-11-24T00:52:41.993139+00:00','2026-11-24T00:52:42.011021+00:00',NULL,'local',2891,0,NULL,NULL,'{}','{"exit_code":0}',NULL,0,'/tmp/harbour/instances/task-t-1/jobs/job-a-1',NULL,NULL,'{}',NULL,NULL,268787101);
INSERT INTO "job_instance" VALUES(2,2,1,'a','a','failed','2026-11-24T00:52:42.016230+00:00','shell',1,NULL,1,0,'2026-11-24T00:52:42.016230+00:00','2026-11-24T00:52:42.030939+00:00',NULL,'local',2893,3,-11000001003,'exit status 3','{}','{"exit_code":3}',NULL,0,'/tmp/harbour/instances/task-u-2/jobs/job-a-2',NULL,NULL,'{}',NULL,NULL,2197442146);
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
	log_size INTEGER, 
	error_log_size INTEGER, 
	sum INTEGER, 
	PRIMARY KEY (job_instance, attempt), 
	FOREIGN KEY(job_instance) REFERENCES job_instance (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
INSERT INTO "job_run" VALUES(1,1,'succeeded','2026-11-24T00:52:41.993139+00:00','2026-11-24T00:52:41.993139+00:00','2026-11-24T00:52:42.011021+00:00',NULL,'local',2891,187378,'1eb3ee2d-a88f-48f2-801a-450ac2ae573a','1.1.9b2e7c99b4da9a0b',0,NULL,NULL,NULL,'{}',NULL,3,0,677981224);
INSERT INTO "job_run" VALUES(2,1,'failed','2026-11-24T00:52:42.016230+00:00','2026-11-24T00:52:42.016230+00:00','2026-11-24T00:52:42.030939+00:00',NULL,'local',2893,187380,'1eb3ee2d-a88f-48f2-801a-450ac2ae573a','2.1.97a2bd79d80abc12',3,NULL,-11000001003,'exit status 3','{}',NULL,0,0,2732799736);
CREATE TABLE meta (
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "meta" VALUES('schema_version','4');
INSERT INTO "meta" VALUES('audit_head','[3, "6b7455e09d69ea14ea10d56067b81da630140c37f7fbfc421a1e09a63904c56c"]');
INSERT INTO "meta" VALUES('owner','ef9e42d897a9e373baa9b66955624036cbe21643d695dd3402ef479d8df388c8 {"id":"","path":"/tmp/harbour","host":"vm","home":true}');
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
	boot_id TEXT, 
	start_ticks INTEGER, 
	stop TEXT, 
	follows TEXT, 
	sum INTEGER, 
	PRIMARY KEY (instance, run), 
	FOREIGN KEY(instance) REFERENCES instance (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
INSERT INTO "run" VALUES(1,1,'succeeded','manual','2026-11-24T00:52:41.992253+00:00','2026-11-24T00:52:41.992253+00:00','2026-11-24T00:52:42.011021+00:00','{}','{}',NULL,NULL,NULL,'517375327e23bd5fceed7e0037dfff73003cd4a27648601a6e33aefc8636785e','{}','operator',NULL,NULL,2837,'1eb3ee2d-a88f-48f2-801a-450ac2ae573a',187378,NULL,NULL,4146759895);
INSERT INTO "run" VALUES(2,1,'failed','manual','2026-11-24T00:52:42.015630+00:00','2026-11-24T00:52:42.015630+00:00','2026-11-24T00:52:42.030939+00:00','{}','{}',-11000001003,'job ''a'': exit status 3',NULL,'82f0ba6765064941f6959d87cdf7f215680df61cd25d31c2079d80363c57f66a','{}','operator',NULL,NULL,2837,'1eb3ee2d-a88f-48f2-801a-450ac2ae573a',187380,NULL,NULL,3260461357);
CREATE TABLE setting (
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	sum INTEGER, 
	PRIMARY KEY (name)
);
INSERT INTO "setting" VALUES('synced','{"boot":"1eb3ee2d-a88f-48f2-801a-450ac2ae573a","until":"2026-11-24T00:52:41.981611+00:00"}',3452095179);
INSERT INTO "setting" VALUES('unsynced','[]',1237841347);
INSERT INTO "setting" VALUES('ending','[]',2738281764);
CREATE TABLE snapshot (
	hash TEXT NOT NULL, 
	content TEXT NOT NULL, 
	PRIMARY KEY (hash)
);
INSERT INTO "snapshot" VALUES('517375327e23bd5fceed7e0037dfff73003cd4a27648601a6e33aefc8636785e','{"resources":{},"jobs":{},"tasks":{"t":{"schedule":{"level":"minute","every":5},"nodes":{"a":{"type":"shell","process":"echo hi"}}}}}');
INSERT INTO "snapshot" VALUES('82f0ba6765064941f6959d87cdf7f215680df61cd25d31c2079d80363c57f66a','{"resources":{},"jobs":{},"tasks":{"u":{"schedule":"manual","nodes":{"a":{"type":"shell","process":"exit 3"}}}}}');
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
CREATE TRIGGER instance_sum_insert AFTER INSERT ON "instance" BEGIN UPDATE "instance" SET sum = skerry_crc(CAST(json_array(NEW."id", NEW."task", NEW."status", NEW."trigger", NEW."scheduled_time", NEW."created_at", NEW."run", NEW."started_at", NEW."ended_at", NEW."name", NEW."project", NEW."priority", NEW."error_code", NEW."error_message", NEW."params", NEW."results", NEW."definition", NEW."edited", NEW."directory", NEW."worker", NEW."actor", NEW."parent", NEW."reason", NEW."why") AS BLOB)) WHERE "id" = NEW."id"; END;
CREATE TRIGGER instance_sum_update AFTER UPDATE OF "id", "task", "status", "trigger", "scheduled_time", "created_at", "run", "started_at", "ended_at", "name", "project", "priority", "error_code", "error_message", "params", "results", "definition", "edited", "directory", "worker", "actor", "parent", "reason", "why" ON "instance" BEGIN UPDATE "instance" SET sum = OLD.sum - skerry_crc(CAST(json_array(OLD."id", OLD."task", OLD."status", OLD."trigger", OLD."scheduled_time", OLD."created_at", OLD."run", OLD."started_at", OLD."ended_at", OLD."name", OLD."project", OLD."priority", OLD."error_code", OLD."error_message", OLD."params", OLD."results", OLD."definition", OLD."edited", OLD."directory", OLD."worker", OLD."actor", OLD."parent", OLD."reason", OLD."why") AS BLOB)) + skerry_crc(CAST(json_array(NEW."id", NEW."task", NEW."status", NEW."trigger", NEW."scheduled_time", NEW."created_at", NEW."run", NEW."started_at", NEW."ended_at", NEW."name", NEW."project", NEW."priority", NEW."error_code", NEW."error_message", NEW."params", NEW."results", NEW."definition", NEW."edited", NEW."directory", NEW."worker", NEW."actor", NEW."parent", NEW."reason", NEW."why") AS BLOB)) WHERE "id" = NEW."id"; END;
CREATE TRIGGER run_sum_insert AFTER INSERT ON "run" BEGIN UPDATE "run" SET sum = skerry_crc(CAST(json_array(NEW."instance", NEW."run", NEW."status", NEW."trigger", NEW."created_at", NEW."started_at", NEW."ended_at", NEW."params", NEW."results", NEW."error_code", NEW."error_message", NEW."definition", NEW."snapshot", NEW."selection", NEW."actor", NEW."reason", NEW."worker", NEW."pid", NEW."boot_id", NEW."start_ticks", NEW."stop", NEW."follows") AS BLOB)) WHERE "instance" = NEW."instance" AND "run" = NEW."run"; END;
CREATE TRIGGER run_sum_update AFTER UPDATE OF "instance", "run", "status", "trigger", "created_at", "started_at", "ended_at", "params", "results", "error_code", "error_message", "definition", "snapshot", "selection", "actor", "reason", "worker", "pid", "boot_id", "start_ticks", "stop", "follows" ON "run" BEGIN UPDATE "run" SET sum = OLD.sum - skerry_crc(CAST(json_array(OLD."instance", OLD."run", OLD."status", OLD."trigger", OLD."created_at", OLD."started_at", OLD."ended_at", OLD."params", OLD."results", OLD."error_code", OLD."error_message", OLD."definition", OLD."snapshot", OLD."selection", OLD."actor", OLD."reason", OLD."worker", OLD."pid", OLD."boot_id", OLD."start_ticks", OLD."stop", OLD."follows") AS BLOB)) + skerry_crc(CAST(json_array(NEW."instance", NEW."run", NEW."status", NEW."trigger", NEW."created_at", NEW."started_at", NEW."ended_at", NEW."params", NEW."results", NEW."error_code", NEW."error_message", NEW."definition", NEW."snapshot", NEW."selection", NEW."actor", NEW."reason", NEW."worker", NEW."pid", NEW."boot_id", NEW."start_ticks", NEW."stop", NEW."follows") AS BLOB)) WHERE "instance" = NEW."instance" AND "run" = NEW."run"; END;
CREATE TRIGGER job_instance_sum_insert AFTER INSERT ON "job_instance" BEGIN UPDATE "job_instance" SET sum = skerry_crc(CAST(json_array(NEW."id", NEW."instance", NEW."run", NEW."node", NEW."job", NEW."status", NEW."created_at", NEW."type", NEW."round", NEW."index", NEW."attempt", NEW."priority", NEW."started_at", NEW."ended_at", NEW."due_at", NEW."worker", NEW."pid", NEW."exit_code", NEW."error_code", NEW."error_message", NEW."params", NEW."results", NEW."branch", NEW."based_on_edit", NEW."directory", NEW."parent", NEW."reason", NEW."handling", NEW."stop", NEW."why") AS BLOB)) WHERE "id" = NEW."id"; END;
CREATE TRIGGER job_instance_sum_update AFTER UPDATE OF "id", "instance", "run", "node", "job", "status", "created_at", "type", "round", "index", "attempt", "priority", "started_at", "ended_at", "due_at", "worker", "pid", "exit_code", "error_code", "error_message", "params", "results", "branch", "based_on_edit", "directory", "parent", "reason", "handling", "stop", "why" ON "job_instance" BEGIN UPDATE "job_instance" SET sum = OLD.sum - skerry_crc(CAST(json_array(OLD."id", OLD."instance", OLD."run", OLD."node", OLD."job", OLD."status", OLD."created_at", OLD."type", OLD."round", OLD."index", OLD."attempt", OLD."priority", OLD."started_at", OLD."ended_at", OLD."due_at", OLD."worker", OLD."pid", OLD."exit_code", OLD."error_code", OLD."error_message", OLD."params", OLD."results", OLD."branch", OLD."based_on_edit", OLD."directory", OLD."parent", OLD."reason", OLD."handling", OLD."stop", OLD."why") AS BLOB)) + skerry_crc(CAST(json_array(NEW."id", NEW."instance", NEW."run", NEW."node", NEW."job", NEW."status", NEW."created_at", NEW."type", NEW."round", NEW."index", NEW."attempt", NEW."priority", NEW."started_at", NEW."ended_at", NEW."due_at", NEW."worker", NEW."pid", NEW."exit_code", NEW."error_code", NEW."error_message", NEW."params", NEW."results", NEW."branch", NEW."based_on_edit", NEW."directory", NEW."parent", NEW."reason", NEW."handling", NEW."stop", NEW."why") AS BLOB)) WHERE "id" = NEW."id"; END;
CREATE TRIGGER job_run_sum_insert AFTER INSERT ON "job_run" BEGIN UPDATE "job_run" SET sum = skerry_crc(CAST(json_array(NEW."job_instance", NEW."attempt", NEW."status", NEW."created_at", NEW."started_at", NEW."ended_at", NEW."stage", NEW."worker", NEW."pid", NEW."start_ticks", NEW."boot_id", NEW."mark", NEW."exit_code", NEW."signal", NEW."error_code", NEW."error_message", NEW."results", NEW."directory", NEW."log_size", NEW."error_log_size") AS BLOB)) WHERE "job_instance" = NEW."job_instance" AND "attempt" = NEW."attempt"; END;
CREATE TRIGGER job_run_sum_update AFTER UPDATE OF "job_instance", "attempt", "status", "created_at", "started_at", "ended_at", "stage", "worker", "pid", "start_ticks", "boot_id", "mark", "exit_code", "signal", "error_code", "error_message", "results", "directory", "log_size", "error_log_size" ON "job_run" BEGIN UPDATE "job_run" SET sum = OLD.sum - skerry_crc(CAST(json_array(OLD."job_instance", OLD."attempt", OLD."status", OLD."created_at", OLD."started_at", OLD."ended_at", OLD."stage", OLD."worker", OLD."pid", OLD."start_ticks", OLD."boot_id", OLD."mark", OLD."exit_code", OLD."signal", OLD."error_code", OLD."error_message", OLD."results", OLD."directory", OLD."log_size", OLD."error_log_size") AS BLOB)) + skerry_crc(CAST(json_array(NEW."job_instance", NEW."attempt", NEW."status", NEW."created_at", NEW."started_at", NEW."ended_at", NEW."stage", NEW."worker", NEW."pid", NEW."start_ticks", NEW."boot_id", NEW."mark", NEW."exit_code", NEW."signal", NEW."error_code", NEW."error_message", NEW."results", NEW."directory", NEW."log_size", NEW."error_log_size") AS BLOB)) WHERE "job_instance" = NEW."job_instance" AND "attempt" = NEW."attempt"; END;
CREATE TRIGGER exception_sum_insert AFTER INSERT ON "exception" BEGIN UPDATE "exception" SET sum = skerry_crc(CAST(json_array(NEW."id", NEW."code", NEW."message", NEW."created_at", NEW."task", NEW."job", NEW."node", NEW."instance", NEW."run", NEW."job_instance", NEW."attempt", NEW."worker", NEW."details", NEW."status", NEW."handled_at", NEW."handled_by", NEW."note") AS BLOB)) WHERE "id" = NEW."id"; END;
CREATE TRIGGER exception_sum_update AFTER UPDATE OF "id", "code", "message", "created_at", "task", "job", "node", "instance", "run", "job_instance", "attempt", "worker", "details", "status", "handled_at", "handled_by", "note" ON "exception" BEGIN UPDATE "exception" SET sum = OLD.sum - skerry_crc(CAST(json_array(OLD."id", OLD."code", OLD."message", OLD."created_at", OLD."task", OLD."job", OLD."node", OLD."instance", OLD."run", OLD."job_instance", OLD."attempt", OLD."worker", OLD."details", OLD."status", OLD."handled_at", OLD."handled_by", OLD."note") AS BLOB)) + skerry_crc(CAST(json_array(NEW."id", NEW."code", NEW."message", NEW."created_at", NEW."task", NEW."job", NEW."node", NEW."instance", NEW."run", NEW."job_instance", NEW."attempt", NEW."worker", NEW."details", NEW."status", NEW."handled_at", NEW."handled_by", NEW."note") AS BLOB)) WHERE "id" = NEW."id"; END;
CREATE TRIGGER alert_sum_insert AFTER INSERT ON "alert" BEGIN UPDATE "alert" SET sum = skerry_crc(CAST(json_array(NEW."id", NEW."created_at", NEW."kind", NEW."level", NEW."code", NEW."message", NEW."instance", NEW."run", NEW."job_instance", NEW."acknowledged_at", NEW."acknowledged_by") AS BLOB)) WHERE "id" = NEW."id"; END;
CREATE TRIGGER alert_sum_update AFTER UPDATE OF "id", "created_at", "kind", "level", "code", "message", "instance", "run", "job_instance", "acknowledged_at", "acknowledged_by" ON "alert" BEGIN UPDATE "alert" SET sum = OLD.sum - skerry_crc(CAST(json_array(OLD."id", OLD."created_at", OLD."kind", OLD."level", OLD."code", OLD."message", OLD."instance", OLD."run", OLD."job_instance", OLD."acknowledged_at", OLD."acknowledged_by") AS BLOB)) + skerry_crc(CAST(json_array(NEW."id", NEW."created_at", NEW."kind", NEW."level", NEW."code", NEW."message", NEW."instance", NEW."run", NEW."job_instance", NEW."acknowledged_at", NEW."acknowledged_by") AS BLOB)) WHERE "id" = NEW."id"; END;
CREATE TRIGGER definition_sum_insert AFTER INSERT ON "definition" BEGIN UPDATE "definition" SET sum = skerry_crc(CAST(json_array(NEW."kind", NEW."id", NEW."revision", NEW."hash", NEW."project", NEW."state", NEW."position") AS BLOB)) WHERE "kind" = NEW."kind" AND "id" = NEW."id"; END;
CREATE TRIGGER definition_sum_update AFTER UPDATE OF "kind", "id", "revision", "hash", "project", "state", "position" ON "definition" BEGIN UPDATE "definition" SET sum = OLD.sum - skerry_crc(CAST(json_array(OLD."kind", OLD."id", OLD."revision", OLD."hash", OLD."project", OLD."state", OLD."position") AS BLOB)) + skerry_crc(CAST(json_array(NEW."kind", NEW."id", NEW."revision", NEW."hash", NEW."project", NEW."state", NEW."position") AS BLOB)) WHERE "kind" = NEW."kind" AND "id" = NEW."id"; END;
CREATE TRIGGER definition_revision_sum_insert AFTER INSERT ON "definition_revision" BEGIN UPDATE "definition_revision" SET sum = skerry_crc(CAST(json_array(NEW."kind", NEW."id", NEW."revision", NEW."created_at", NEW."content", NEW."hash", NEW."project", NEW."actor") AS BLOB)) WHERE "kind" = NEW."kind" AND "id" = NEW."id" AND "revision" = NEW."revision"; END;
CREATE TRIGGER definition_revision_sum_update AFTER UPDATE OF "kind", "id", "revision", "created_at", "content", "hash", "project", "actor" ON "definition_revision" BEGIN UPDATE "definition_revision" SET sum = OLD.sum - skerry_crc(CAST(json_array(OLD."kind", OLD."id", OLD."revision", OLD."created_at", OLD."content", OLD."hash", OLD."project", OLD."actor") AS BLOB)) + skerry_crc(CAST(json_array(NEW."kind", NEW."id", NEW."revision", NEW."created_at", NEW."content", NEW."hash", NEW."project", NEW."actor") AS BLOB)) WHERE "kind" = NEW."kind" AND "id" = NEW."id" AND "revision" = NEW."revision"; END;
CREATE TRIGGER execute_stat_sum_insert AFTER INSERT ON "execute_stat" BEGIN UPDATE "execute_stat" SET sum = skerry_crc(CAST(json_array(NEW."kind", NEW."id", NEW."counts", NEW."failed", NEW."success", quote(NEW."total_execute_time"), quote(NEW."max_execute_time")) AS BLOB)) WHERE "kind" = NEW."kind" AND "id" = NEW."id"; END;
CREATE TRIGGER execute_stat_sum_update AFTER UPDATE OF "kind", "id", "counts", "failed", "success", "total_execute_time", "max_execute_time" ON "execute_stat" BEGIN UPDATE "execute_stat" SET sum = OLD.sum - skerry_crc(CAST(json_array(OLD."kind", OLD."id", OLD."counts", OLD."failed", OLD."success", quote(OLD."total_execute_time"), quote(OLD."max_execute_time")) AS BLOB)) + skerry_crc(CAST(json_array(NEW."kind", NEW."id", NEW."counts", NEW."failed", NEW."success", quote(NEW."total_execute_time"), quote(NEW."max_execute_time")) AS BLOB)) WHERE "kind" = NEW."kind" AND "id" = NEW."id"; END;
CREATE TRIGGER execute_stat_code_sum_insert AFTER INSERT ON "execute_stat_code" BEGIN UPDATE "execute_stat_code" SET sum = skerry_crc(CAST(json_array(NEW."kind", NEW."id", NEW."code", NEW."counts") AS BLOB)) WHERE "kind" = NEW."kind" AND "id" = NEW."id" AND "code" = NEW."code"; END;
CREATE TRIGGER execute_stat_code_sum_update AFTER UPDATE OF "kind", "id", "code", "counts" ON "execute_stat_code" BEGIN UPDATE "execute_stat_code" SET sum = OLD.sum - skerry_crc(CAST(json_array(OLD."kind", OLD."id", OLD."code", OLD."counts") AS BLOB)) + skerry_crc(CAST(json_array(NEW."kind", NEW."id", NEW."code", NEW."counts") AS BLOB)) WHERE "kind" = NEW."kind" AND "id" = NEW."id" AND "code" = NEW."code"; END;
CREATE TRIGGER id_block_sum_insert AFTER INSERT ON "id_block" BEGIN UPDATE "id_block" SET sum = skerry_crc(CAST(json_array(NEW."name", NEW."next") AS BLOB)) WHERE "name" = NEW."name"; END;
CREATE TRIGGER id_block_sum_update AFTER UPDATE OF "name", "next" ON "id_block" BEGIN UPDATE "id_block" SET sum = OLD.sum - skerry_crc(CAST(json_array(OLD."name", OLD."next") AS BLOB)) + skerry_crc(CAST(json_array(NEW."name", NEW."next") AS BLOB)) WHERE "name" = NEW."name"; END;
CREATE TRIGGER setting_sum_insert AFTER INSERT ON "setting" BEGIN UPDATE "setting" SET sum = skerry_crc(CAST(json_array(NEW."name", NEW."value") AS BLOB)) WHERE "name" = NEW."name"; END;
CREATE TRIGGER setting_sum_update AFTER UPDATE OF "name", "value" ON "setting" BEGIN UPDATE "setting" SET sum = OLD.sum - skerry_crc(CAST(json_array(OLD."name", OLD."value") AS BLOB)) + skerry_crc(CAST(json_array(NEW."name", NEW."value") AS BLOB)) WHERE "name" = NEW."name"; END;
COMMIT;
PRAGMA user_version = 4;
