/** The operations that initialize, unseal and seal a store. */
import { initialize, readInit } from './init.ts'
import { readSealStatus, seal, stepDown, unseal } from './unseal.ts'

export const sealOperations = { readInit, initialize, readSealStatus, unseal, seal, stepDown }
