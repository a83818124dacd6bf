/** All operations of the encryption engine, under their names in the typed API. The typed surface is generated from this file. */
import { further } from './further/engine.ts'
import { transit } from './index.ts'

export const operations = { ...transit.operations, ...further.operations }
