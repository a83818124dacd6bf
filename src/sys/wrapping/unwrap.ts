/** POST sys/wrapping/unwrap (source: behaviour of the originals). */
import { isWrapping } from '../../core/auth/policies.ts'
import { revokeToken } from '../../core/auth/token/revoke.ts'
import { readDocument } from '../../core/document.ts'
import { f } from '../../core/operation/fields.ts'
import { operation } from '../../core/operation/operation.ts'
import { answerOf, idOf, wrappingToken } from '../../core/wrapping/wrapping-token.ts'
import { aboutToken, TOKEN_FIELD } from './fields.ts'

export const unwrap = operation({
  kind: 'write',
  verb: 'POST',
  path: '/wrapping/unwrap',
  follows: 'wrapping',
  // Told before anybody is asked who he is: a token that opens nothing is a mistake, and no secret.
  judgesFirst: (tx, { token }) => void wrappingToken(tx, aboutToken(tx, token)),
  summary: 'Opens a wrapped answer; the token is used up by it.',
  fields: { token: TOKEN_FIELD },
  returns: { answer: f.json<Readonly<Record<string, unknown>>>('The answer as it would have been.') },
  wire: ({ answer }) => ({ whole: answer }),
  run: (tx, { token: named }) => {
    const { caller } = tx.call
    const text = aboutToken(tx, named)
    // Its one use was taken when it was admitted: this is it.
    const own = caller.kind === 'token' && isWrapping(caller.token) && (named === undefined || idOf(tx, named) === caller.id)
    if (own) return { answer: readDocument(tx, answerOf(tx, caller.token), 'answer') }
    const found = wrappingToken(tx, text)
    const answer = answerOf(tx, found.token)
    // Whoever opens it at the same time, or wraps it anew, needs the same record to be there.
    revokeToken(tx, found.id)
    return { answer: readDocument(tx, answer, 'answer') }
  },
})
