/** The parts of an ARN that roles use, parsed as by the package aws/arn of the AWS SDK for Go. */
export interface Arn {
  readonly service: string
  /** The part after the fifth colon. */
  readonly resource: string
  /** The resource up to its first slash. */
  readonly type: string
}

const PREFIX = 'arn:'

export const looksLikeArn = (text: string): boolean => text.startsWith(PREFIX)

const SHAPE = /^arn:[^:]*:([^:]*):[^:]*:[^:]*:/

/** Longer text is refused before it is parsed. The limit is twice the maximum length of an ARN in AWS. */
const MAX_ARN_CHARACTERS = 4096

const CONTROL_CHARACTER = /\p{Cc}/u

/**
 * Parses an ARN. Returns undefined unless the string begins with `arn:`, has six sections, has no control characters and is not too long.
 */
export function parseArn(text: string): Arn | undefined {
  const found = text.length <= MAX_ARN_CHARACTERS && !CONTROL_CHARACTER.test(text) && SHAPE.exec(text)
  if (!found) return undefined
  const resource = text.slice(found[0].length)
  const slash = resource.indexOf('/')
  return { service: found[1] as string, resource, type: slash < 0 ? resource : resource.slice(0, slash) }
}
