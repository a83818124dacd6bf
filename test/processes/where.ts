import { keySeal, type Seal } from '../../src/index.ts'
import { type OpenStore, openStoreAt, type StoreAt } from '../fixtures/store-at.ts'

export const SEAL: Seal = keySeal(new Uint8Array(32).fill(5))

export const openStorage = (at: StoreAt): OpenStore => openStoreAt(at, { shared: true })
