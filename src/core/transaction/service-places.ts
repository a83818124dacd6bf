/**
 * Places of services that have no mount. Their due work is kept for a process that has the service.
 */

/** The configuration service. */
export const CONFIGSVC = 'configsvc'

const PLACES: ReadonlySet<string> = new Set([CONFIGSVC])

export const isServicePlace = (place: string): boolean => PLACES.has(place)
