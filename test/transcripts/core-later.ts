/** What the service surface does not do yet, by transcript, with the part that brings it. */

const DATABASE = 'the engine for databases'

/** Whole files that stand on a later part. */
export const LATER_FILES: Readonly<Record<string, string>> = {
  'leases/last-use': DATABASE,
  'leases/owner': DATABASE,
}
