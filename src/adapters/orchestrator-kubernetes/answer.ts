/**
 * Reads an API server's response about a token.
 *
 * Kubernetes API reference, TokenReview (authentication.k8s.io/v1) and Status (v1). Null or absent members count as empty, as for
 * the server's own clients; any other member of a wrong type makes the answer invalid.
 */
import type { TokenReviewAnswer } from '../../core/jwt/token-reviewer.ts'
import { TokenReviewError } from './review-error.ts'

type Members = Readonly<Record<string, unknown>>

/**
 * @param text The whole body.
 * @throws TokenReviewError for a body that is no review.
 */
export function readAnswer(status: number, text: string): TokenReviewAnswer {
  if (status < 200 || status > 206) throw statusError(status, 'the API server answered')
  const body = asObject(parse(text), 'the body')
  if (body['kind'] === 'Status') return readStatus(body)
  if (body['kind'] !== undefined && body['kind'] !== 'TokenReview')
    throw protocolError('its kind is neither TokenReview nor Status')
  return readReview(asObject(body['status'], 'status'))
}

/** A success status without a review says nothing about the token, so nobody has vouched for it. */
function readStatus({ status, code }: Members): TokenReviewAnswer {
  if (status === 'Success') return { authenticated: false }
  throw statusError(Number.isInteger(code) ? (code as number) : 0, 'the API server answered with a Status of failure, code')
}

function readReview(status: Members): TokenReviewAnswer {
  const authenticated = nullToUndefined(status['authenticated'])
  if (authenticated !== undefined && typeof authenticated !== 'boolean') throw protocolError('status.authenticated is no boolean')
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

/** Null prototype: the server chooses the names. */
function readExtra(extra: Members): Readonly<Record<string, readonly string[]>> {
  const read: Record<string, readonly string[]> = Object.create(null)
  for (const [name, values] of Object.entries(extra)) read[name] = asTexts(values ?? [], 'status.user.extra')
  return read
}

function statusError(code: number, what: string): TokenReviewError {
  if (code === 401)
    return new TokenReviewError(
      'reviewer-unauthorized',
      `${what} 401: it does not accept the token that reviews; nothing is said about the token under review`,
    )
  if (code === 403)
    return new TokenReviewError(
      'reviewer-forbidden',
      `${what} 403: the token that reviews may not create tokenreviews; bind its account to the cluster role system:auth-delegator`,
    )
  return new TokenReviewError('protocol', `${what} ${code}${code >= 300 && code < 400 ? '; redirects are not followed' : ''}`)
}

/** The error of the parser is dropped: it quotes the text, and the text holds the token. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw protocolError(text === '' ? 'the body is empty' : 'the body is no JSON')
  }
}

const protocolError = (why: string): TokenReviewError =>
  new TokenReviewError('protocol', `what came back is no answer of the TokenReview API: ${why}`)

const nullToUndefined = (value: unknown): unknown => value ?? undefined

function asObject(value: unknown, name: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw protocolError(`${name} is no object`)
  return value as Members
}

function asText(value: unknown, name: string): string {
  if (typeof value !== 'string') throw protocolError(`${name} is no text`)
  return value
}

function asTexts(value: unknown, name: string): readonly string[] {
  if (!Array.isArray(value)) throw protocolError(`${name} is no list`)
  return value.map((item) => asText(item, name))
}
