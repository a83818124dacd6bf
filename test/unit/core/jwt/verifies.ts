import { Allowance } from '../../../../src/core/base/allowance.ts'
import { finish } from '../../../../src/core/base/steps.ts'
import type { Jws } from '../../../../src/core/jwt/jws.ts'
import type { VerificationKeys } from '../../../../src/core/jwt/keys.ts'
import { verifySteps } from '../../../../src/core/jwt/verify.ts'
import { fakeClock } from '../../../../src/testing/index.ts'

/** Without giving way between the keys. */
export const verifies = (jws: Jws, keys: VerificationKeys): boolean =>
  finish(verifySteps(jws, keys, new Allowance(fakeClock(), 1e9)))
