/**
 * Opens SQLite databases that belong to one store of one package.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";

/** How a store uses its database. */
export interface DatabaseUse {
  /** Name of the package, for error messages. */
  readonly packageName: string;
  /** Number that identifies the databases of the store, which `pragma application_id` stores. */
  readonly applicationId: number;
  /** Version of the tables, which `pragma user_version` stores. */
  readonly schemaVersion: number;
  /** Statements that create the tables. */
  readonly schema: string;
  /**
   * Statements that change the tables of a version into those of the next version, keyed by the
   * older version. If omitted, a database with an older version is rejected.
   */
  readonly migrations?: ReadonlyMap<number, string>;
  /**
   * Statements that set the lock mode and the limits of the connection. They must not change the
   * file.
   */
  readonly pragmas: string;
  /** Lock with which the tables are read or created. */
  readonly lock: "exclusive" | "immediate";
}

/**
 * Opens a database, and creates its tables if the file is new, or changes tables of older versions.
 * A commit to the database reaches the disk before the statement returns.
 *
 * @throws {Error} If the file cannot be opened or locked, belongs to another program, or has a
 * different schema version.
 */
export function openDatabase(path: string, use: DatabaseUse): DatabaseSync {
  const database = new DatabaseSync(path);
  try {
    database.exec(use.pragmas);
    database.exec(`begin ${use.lock}`);
    prepareTables(database, use);
    database.exec("commit");
    // The journal mode is stored in the file, so it must not be set in a database that belongs to
    // another program. With `synchronous = full`, a commit to the write-ahead log reaches the disk
    // before the statement returns.
    database.exec("pragma journal_mode = wal; pragma synchronous = full");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function prepareTables(
  database: DatabaseSync,
  { packageName, applicationId, migrations, schemaVersion, schema }: DatabaseUse,
): void {
  if (readNumber(database, "select count(*) from sqlite_schema") === 0) {
    database.exec(schema);
    database.exec(`pragma application_id = ${applicationId}`);
    database.exec(`pragma user_version = ${schemaVersion}`);
    return;
  }
  if (readNumber(database, "pragma application_id") !== applicationId) {
    throw new Error("the file is a database that belongs to another program");
  }
  let version = readNumber(database, "pragma user_version");
  const stored = version;
  for (let sql = migrations?.get(version); sql !== undefined; sql = migrations?.get(version)) {
    database.exec(sql);
    version++;
  }
  if (version !== schemaVersion) {
    throw new Error(
      `the database has schema version ${stored}, but this version of ${packageName} requires ${schemaVersion}`,
    );
  }
  if (version !== stored) database.exec(`pragma user_version = ${version}`);
}

/** Returns the only column of the only row. */
function readNumber(database: DatabaseSync, sql: string): number {
  return Number(Object.values(database.prepare(sql).get() ?? {})[0]);
}
