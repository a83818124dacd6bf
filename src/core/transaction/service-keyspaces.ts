/**
 * Keyspaces of services that have no mount. Due work in such a keyspace waits for a process that runs the service.
 */

/** The configuration service. */
export const CONFIGSVC = 'configsvc'

const KEYSPACES: ReadonlySet<string> = new Set([CONFIGSVC])

export const isServiceKeyspace = (keyspace: string): boolean => KEYSPACES.has(keyspace)
