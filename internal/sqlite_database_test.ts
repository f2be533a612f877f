import { assertEquals, assertThrows } from "@std/assert";
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

/** Returns how a store uses a database that already has tables of a version. */
function useOf(version: number, migrations?: ReadonlyMap<number, string>): DatabaseUse {
  const tables = "create table item (id integer primary key) strict; " +
    `pragma application_id = 7; pragma user_version = ${version}`;
  return { ...USE, schemaVersion: 3, pragmas: tables, ...migrations && { migrations } };
}

Deno.test("openDatabase() changes the tables of older versions, one version at a time", () => {
  const migrations = new Map([
    [1, "alter table item add column a text"],
    [2, "alter table item rename column a to b"],
  ]);
  const database = openDatabase(":memory:", useOf(1, migrations));
  try {
    database.exec("insert into item (b) values ('x')");
    assertEquals({ ...database.prepare("pragma user_version").get() }, { user_version: 3 });
  } finally {
    database.close();
  }
});

Deno.test("openDatabase() rejects tables of newer versions, and of versions without a migration", () => {
  const migrations = new Map([[2, "alter table item add column a text"]]);
  const uses = [[4, useOf(4, migrations)], [2, useOf(2)], [1, useOf(1, migrations)]] as const;
  for (const [version, use] of uses) {
    const expected =
      `the database has schema version ${version}, but this version of @parley/x requires 3`;
    assertThrows(() => openDatabase(":memory:", use), Error, expected);
  }
  const failing = new Map([[2, "create nothing"]]);
  assertThrows(() => openDatabase(":memory:", useOf(2, failing)), Error, "syntax error");
});
