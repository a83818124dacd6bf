/**
 * ARNs, as far as roles look at them (source: aws/arn of the AWS SDK for Go, behaviour).
 */
export interface Arn {
  readonly service: string
  /** All behind the fifth colon. */
  readonly resource: string
  /** The resource up to its first slash. */
  readonly type: string
}

const PREFIX = 'arn:'

export const looksLikeArn = (text: string): boolean => text.startsWith(PREFIX)

const SHAPE = /^arn:[^:]*:([^:]*):[^:]*:[^:]*:/

/** Characters: twice what the cloud takes. */
const MAX_ARN_CHARACTERS = 4096

const CONTROL_CHARACTER = /\p{Cc}/u

/** Undefined for a text that is none: it begins with `arn:` and has six sections, and is a line of bounded length. */
export function parseArn(text: string): Arn | undefined {
  const found = text.length <= MAX_ARN_CHARACTERS && !CONTROL_CHARACTER.test(text) && SHAPE.exec(text)
  if (!found) return undefined
  const resource = text.slice(found[0].length)
  const slash = resource.indexOf('/')
  return { service: found[1] as string, resource, type: slash < 0 ? resource : resource.slice(0, slash) }
}
