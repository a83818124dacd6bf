/**
 * The keyspaces of services that have no mount. Scheduled background work in such a keyspace waits until a process that runs the service
 * handles it.
 */

/** The configuration service. */
export const CONFIGSVC = 'configsvc'

const KEYSPACES: ReadonlySet<string> = new Set([CONFIGSVC])

export const isServiceKeyspace = (keyspace: string): boolean => KEYSPACES.has(keyspace)
