/** The tokens that a request must carry, and their required claims. */
import { list, record, text } from '../members/index.ts'
import { nameOfOther } from '../names.ts'
import { checkHasName } from './http-match.ts'

const provider = record(
  { Name: nameOfOther(), VerifyClaims: list(record({ Path: list(text()), Value: text() })) },
  { rule: checkHasName },
)

export const JWT_REQUIREMENTS = record({ Providers: list(provider) })
