import { assertEquals, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { type DatabaseUse, openDatabase } from "./sqlite_database.ts";

const USE: DatabaseUse = {
  packageName: "@parley/x",
  applicationId: 7,
  schemaVersion: 2,
  schema: "create table item (id integer primary key) strict",
  pragmas: "pragma busy_timeout = 0",
  lock: "immediate",
};

Deno.test("openDatabase() creates the tables of a new database and marks it", () => {
  const database = openDatabase(":memory:", USE);
  try {
    database.exec("insert into item (id) values (5)");
    assertEquals({ ...database.prepare("select id from item").get() }, { id: 5 });
    assertEquals({ ...database.prepare("pragma application_id").get() }, { application_id: 7 });
    assertEquals({ ...database.prepare("pragma user_version").get() }, { user_version: 2 });
    assertEquals({ ...database.prepare("pragma synchronous").get() }, { synchronous: 2 });
  } finally {
    database.close();
  }
});

Deno.test("openDatabase() throws if a statement fails, and if the file cannot be opened", () => {
  assertThrows(() => openDatabase(":memory:", { ...USE, schema: "create nothing" }), Error);
  assertThrows(() => openDatabase("/nowhere/at/all.db", USE), Error);
});

/** Calls a function with a database that has tables of a version. */
function withVersion(version: number, test: (path: string) => void): void {
  // A shared in-memory database exists while a connection is open.
  const path = `file:v${version}-${crypto.randomUUID()}?mode=memory&cache=shared`;
  const database = new DatabaseSync(path);
  try {
    database.exec("create table item (id integer primary key) strict");
    database.exec(`pragma application_id = 7; pragma user_version = ${version}`);
    test(path);
  } finally {
    database.close();
  }
}

Deno.test("openDatabase() changes the tables of older versions, one version at a time", () => {
  const migrations = new Map([
    [1, "alter table item add column a text"],
    [2, "alter table item rename column a to b"],
  ]);
  const use = { ...USE, schemaVersion: 3, migrations };
  withVersion(1, (path) => {
    const database = openDatabase(path, use);
    database.exec("insert into item (b) values ('x')");
    assertEquals({ ...database.prepare("pragma user_version").get() }, { user_version: 3 });
    database.close();
    const again = openDatabase(path, use);
    assertEquals({ ...again.prepare("select b from item").get() }, { b: "x" });
    again.close();
  });
});

Deno.test("openDatabase() rejects tables of newer versions, and of versions without a migration", () => {
  const expected = (version: number): string =>
    `the database has schema version ${version}, but this version of @parley/x requires 2`;
  const migrations = new Map([[1, "alter table item add column a text"]]);
  for (const [version, use] of [[3, { ...USE, migrations }], [1, USE], [0, USE]] as const) {
    withVersion(version, (path) => {
      assertThrows(() => openDatabase(path, use), Error, expected(version));
    });
  }
});

Deno.test("openDatabase() keeps the old tables if a migration fails", () => {
  const migrations = new Map([[1, "alter table item add column a text; create nothing"]]);
  withVersion(1, (path) => {
    assertThrows(() => openDatabase(path, { ...USE, migrations }), Error, "syntax error");
    const database = new DatabaseSync(path);
    assertEquals({ ...database.prepare("pragma user_version").get() }, { user_version: 1 });
    assertEquals(database.prepare("pragma table_info(item)").all().length, 1);
    database.close();
  });
});
