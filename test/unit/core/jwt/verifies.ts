import { Allowance } from '../../../../src/core/base/allowance.ts'
import { runToEnd } from '../../../../src/core/base/steps.ts'
import type { Jws } from '../../../../src/core/jwt/jws.ts'
import type { VerificationKeys } from '../../../../src/core/jwt/verification-keys.ts'
import { verifySteps } from '../../../../src/core/jwt/verify.ts'
import { fakeClock } from '../../../../src/testing/index.ts'
import { driven } from '../../crypto/steps.ts'

/** Verifies in one call, with a backend that never waits. */
export const verifies = (jws: Jws, keys: VerificationKeys): boolean =>
  runToEnd(verifySteps(jws, keys, new Allowance(fakeClock(), 1e9)))

/** Verifies with any backend. */
export const verifiesSoon = (jws: Jws, keys: VerificationKeys): Promise<boolean> =>
  driven(verifySteps(jws, keys, new Allowance(fakeClock(), 1e9)))
