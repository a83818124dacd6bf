// The documented refusals that are not yet in the doc comments of operations: by interface, method and HTTP status.
import { CLOUD } from './cloud.mjs'
import { DATABASE } from './database.mjs'

export const REFUSALS = { DatabaseApi: DATABASE, CloudApi: CLOUD }
