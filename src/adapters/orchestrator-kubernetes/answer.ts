/**
 * Parses the API server's answer to a token review (Kubernetes API reference: TokenReview of authentication.k8s.io/v1, and Status of v1). Null and
 * absent members count as empty, as in Kubernetes' own clients. Any other member of a wrong type makes the answer invalid.
 */
import type { TokenReviewAnswer } from '../../core/jwt/token-reviewer.ts'
import { TokenReviewError } from './review-error.ts'

type Members = Readonly<Record<string, unknown>>

/**
 * @param text The whole body.
 * @throws TokenReviewError if the body is not a TokenReview, or reports a failure.
 */
export function readAnswer(status: number, text: string): TokenReviewAnswer {
  if (status < 200 || status > 206) throw statusError(status, 'the API server answered')
  const body = asObject(parse(text), 'the body')
  if (body['kind'] === 'Status') return readStatus(body)
  if (body['kind'] !== undefined && body['kind'] !== 'TokenReview') throw protocolError('kind is neither TokenReview nor Status')
  return readReview(asObject(body['status'], 'status'))
}

/** A `Status` object with `Success` contains no TokenReview, so the token counts as not authenticated. */
function readStatus({ status, code }: Members): TokenReviewAnswer {
  if (status === 'Success') return { authenticated: false }
  throw statusError(Number.isInteger(code) ? (code as number) : 0, 'the API server answered with a failure Status, code')
}

function readReview(status: Members): TokenReviewAnswer {
  const authenticated = nullToUndefined(status['authenticated'])
  if (authenticated !== undefined && typeof authenticated !== 'boolean')
    throw protocolError('status.authenticated is not a boolean')
  const error = nullToUndefined(status['error'])
  const audiences = nullToUndefined(status['audiences'])
  const user = nullToUndefined(status['user'])
  return {
    authenticated: authenticated ?? false,
    ...(error !== undefined && { error: asText(error, 'status.error') }),
    ...(audiences !== undefined && { audiences: asTexts(audiences, 'status.audiences') }),
    ...(user !== undefined && { user: readUser(asObject(user, 'status.user')) }),
  }
}

function readUser(user: Members): NonNullable<TokenReviewAnswer['user']> {
  const groups = nullToUndefined(user['groups'])
  const extra = nullToUndefined(user['extra'])
  return {
    username: asText(user['username'] ?? '', 'status.user.username'),
    uid: asText(user['uid'] ?? '', 'status.user.uid'),
    ...(groups !== undefined && { groups: asTexts(groups, 'status.user.groups') }),
    ...(extra !== undefined && { extra: readExtra(asObject(extra, 'status.user.extra')) }),
  }
}

/** Returns an object without a prototype, because the server chooses the member names. */
function readExtra(extra: Members): Readonly<Record<string, readonly string[]>> {
  const read: Record<string, readonly string[]> = Object.create(null)
  for (const [name, values] of Object.entries(extra)) read[name] = asTexts(values ?? [], 'status.user.extra')
  return read
}

function statusError(code: number, what: string): TokenReviewError {
  if (code === 401)
    return new TokenReviewError(
      'reviewer-unauthorized',
      `${what} 401: it does not accept the reviewer token, so the token of the login was not reviewed`,
    )
  if (code === 403)
    return new TokenReviewError(
      'reviewer-forbidden',
      `${what} 403: the reviewer token may not create tokenreviews; bind its service account to the cluster role system:auth-delegator`,
    )
  return new TokenReviewError('protocol', `${what} ${code}${code >= 300 && code < 400 ? '; redirects are not followed' : ''}`)
}

/** The parser's error is dropped because it quotes the text, which contains the token. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw protocolError(text === '' ? 'the body is empty' : 'the body is not JSON')
  }
}

const protocolError = (why: string): TokenReviewError =>
  new TokenReviewError('protocol', `the answer is not from the TokenReview API: ${why}`)

const nullToUndefined = (value: unknown): unknown => value ?? undefined

function asObject(value: unknown, name: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw protocolError(`${name} is not an object`)
  return value as Members
}

function asText(value: unknown, name: string): string {
  if (typeof value !== 'string') throw protocolError(`${name} is not a string`)
  return value
}

function asTexts(value: unknown, name: string): readonly string[] {
  if (!Array.isArray(value)) throw protocolError(`${name} is not a list`)
  return value.map((item) => asText(item, name))
}
