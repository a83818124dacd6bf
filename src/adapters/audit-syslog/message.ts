/** Syslog messages as RFC 5424 defines them. */
import { hostname } from 'node:os'
import { FACILITIES, type SyslogFacility } from './facility.ts'

/** The severity "informational". */
const INFORMATIONAL = 6

/** APP-NAME: 1 to 48 printable characters of ASCII without space. */
export const APP_NAME = /^[\x21-\x7e]{1,48}$/

/** HOSTNAME allows only printable characters of ASCII; `-` represents an unknown name. */
const hostName = (): string =>
  hostname()
    .replaceAll(/[^\x21-\x7e]/g, '')
    .slice(0, 255) || '-'

export interface MessageOptions {
  readonly facility: SyslogFacility
  readonly appName: string
  readonly prefix: string
}

/**
 * Returns a function that makes a message of each entry. The message id is `audit`, there is no structured data, and the text of the
 * message is the prefix and the line. The text has no byte order mark, so that receivers store the line unchanged.
 */
export function messagesOf({ facility, appName, prefix }: MessageOptions): (line: string) => Buffer {
  const priority = FACILITIES.indexOf(facility) * 8 + INFORMATIONAL
  const origin = `${hostName()} ${appName} ${process.pid} audit -`
  return (line) => Buffer.from(`<${priority}>1 ${new Date().toISOString()} ${origin} ${prefix}${line}`)
}

/** A message with its length, so that the receiver of a stream finds its end (octet counting, RFC 6587, section 3.4.1). */
export const withOctetCount = (message: Buffer): Buffer => Buffer.concat([Buffer.from(`${message.length} `), message])
