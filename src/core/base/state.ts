/**
 * A separate immer instance: a host that calls `setAutoFreeze(false)` on the shared one cannot change how the kernel's state
 * behaves.
 */
import { freeze, Immer } from 'immer'

export const produce: Immer['produce'] = /* @__PURE__ */ new Immer({ autoFreeze: true }).produce

/** Freezes a decoded record deeply, so that a stray write throws instead of reaching every later reader. */
export const deepFreeze = <T>(value: T): T => freeze(value, true)
