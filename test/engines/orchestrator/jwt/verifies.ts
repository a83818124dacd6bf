import { finish } from '../../../../src/core/crypto/pieces.ts'
import type { Jws } from '../../../../src/engines/orchestrator/jwt/jws.ts'
import type { VerificationKeys } from '../../../../src/engines/orchestrator/jwt/keys.ts'
import { verifySteps } from '../../../../src/engines/orchestrator/jwt/verify.ts'

/** Without giving way between the keys. */
export const verifies = (jws: Jws, keys: VerificationKeys): boolean => finish(verifySteps(jws, keys))
