/** The JSON Web Tokens that a request must contain, and the claims that they must have. */
import { list, record, text } from '../members/index.ts'
import { nameOfOther } from '../names.ts'
import { checkHasName } from './http-match.ts'

const provider = record(
  { Name: nameOfOther(), VerifyClaims: list(record({ Path: list(text()), Value: text() })) },
  { rule: checkHasName },
)

export const JWT_REQUIREMENTS = record({ Providers: list(provider) })
