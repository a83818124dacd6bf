/** Runs logins to an auth method as a transaction does: what must be awaited ends the run, and the next run finds the result. */
import '../../../fixtures/loaded-curves.ts'
import { nodeCrypto } from '../../../../src/adapters/crypto-node/index.ts'
import type { LoginIdentity, LoginWork } from '../../../../src/configsvc/methods/identity.ts'
import { authMethodTypeOf } from '../../../../src/configsvc/methods/method-types.ts'
import { PublishedKeySets } from '../../../../src/configsvc/methods/published-keys.ts'
import { Allowance } from '../../../../src/core/base/allowance.ts'
import { KernelError } from '../../../../src/core/base/errors.ts'
import type { Steps } from '../../../../src/core/base/steps.ts'
import { loginRefusal } from '../../../../src/core/contract/login-refusal.ts'
import { WRONG_SIGNATURES } from '../../../../src/core/jwt/verify.ts'
import type { CryptoBackend, TokenReviewer } from '../../../../src/index.ts'
import { fakeClock } from '../../../../src/testing/index.ts'
import { driven } from '../../crypto/steps.ts'

/** Seconds. */
export const NOW = 1_800_000_000

export const CRYPTO = nodeCrypto()

export const strangersAllowance = (): Allowance => new Allowance(fakeClock(), WRONG_SIGNATURES.perSecond, WRONG_SIGNATURES.most)

export interface LoginOptions {
  readonly crypto?: CryptoBackend
  readonly reviewer?: TokenReviewer
  readonly keySets?: PublishedKeySets
  readonly allowance?: Allowance
  readonly now?: number
}

class Awaited extends Error {
  readonly done: Promise<void>
  constructor(done: Promise<void>) {
    super()
    this.done = done
  }
}

/** Logs in to a method of this type with this `Config`. */
export async function logIn(type: string, config: unknown, bearer: string, options: LoginOptions = {}): Promise<LoginIdentity> {
  const { crypto = CRYPTO, reviewer, allowance = strangersAllowance(), now = NOW } = options
  const { keySets = new PublishedKeySets(fakeClock(now * 1000), crypto, undefined) } = options
  const results = new Map<string, { readonly value: unknown } | { readonly thrown: unknown }>()
  const done = <T>(name: string): T | undefined => {
    const result = results.get(name)
    if (result && 'thrown' in result) throw result.thrown
    return result?.value as T | undefined
  }
  const work: LoginWork = {
    now: now * 1000,
    crypto,
    reviewer,
    keySets,
    signal: new AbortController().signal,
    allowance,
    steps<T>(name: string, make: () => Steps<T>): T {
      return work.once(name, () => driven(make()))
    },
    once<T>(name: string, make: () => Promise<T>): T {
      if (results.has(name)) return done<T>(name) as T
      throw new Awaited(
        make().then(
          (value) => void results.set(name, { value }),
          (thrown) => void results.set(name, { thrown }),
        ),
      )
    },
  }
  const method = authMethodTypeOf(type)
  const read = method.readConfig(config, crypto)
  for (;;) {
    try {
      return method.identityOf(read, bearer, work)
    } catch (error) {
      if (!(error instanceof Awaited)) throw error
      await error.done
    }
  }
}

const REFUSED = 'permission denied: the login was refused; the event login.refused and the audit log say why'

/** Returns the hidden reason for which a login is refused; the caller sees a plain 403. Undefined if the login succeeds. */
export async function refusalOf(login: Promise<unknown>): Promise<string | undefined> {
  try {
    await login
    return undefined
  } catch (error) {
    const { status, message } = error as KernelError
    if (!(error instanceof KernelError) || status !== 403 || message !== REFUSED) throw error
    return loginRefusal(error)
  }
}
