import type { ConnectionDetails } from '../../engines/database/port.ts'
import { type CommonDetails, textDetail } from '../database/details.ts'
import { invalidFailure } from '../database/failure.ts'
import { decodeUrlPart, encodeUrlValues, fillPlaceholders } from '../database/url.ts'
import type { MongoClient, MongoModule } from './driver.ts'
import { connectionClassOf, meteredConnections } from './metering.ts'

const URL_FORM = /^mongodb(?:\+srv)?:\/\/(?:[^@/?#]*@)?[^@/?#]+(?:\/([^/?#]*))?(?:\?([^#]*))?$/
/** The timeout in milliseconds after which the driver stops searching for a lost server. Calls end earlier, at their own deadline. */
const SELECTION_MS = 15_000

export interface MongoTarget {
  /** @param onExcess Called if a member sends too much, before its connection is closed. */
  client(onExcess: (error: Error) => void): MongoClient
  /** The database that authenticates the user of the URL. Passwords are changed in this database, unless a statement names another one. */
  readonly database: string
}

function databaseOf(path: string, query: string): string {
  for (const part of query.split('&')) {
    const [name, value = ''] = part.split('=', 2)
    if (name?.toLowerCase() === 'authsource') return decodeUrlPart(value, 'connection_url')
  }
  return decodeUrlPart(path, 'connection_url') || 'admin'
}

/** @throws DatabaseError `invalid` if a detail is invalid. */
export function parseMongoTarget(mongodb: MongoModule, common: CommonDetails, details: ConnectionDetails): MongoTarget {
  const url = fillPlaceholders(common.connectionUrl, common.disableEscaping ? common : encodeUrlValues(common))
  const parts = URL_FORM.exec(url)
  if (!parts) throw invalidFailure('connection_url: must be a URL such as mongodb://{{username}}:{{password}}@host:27017/admin')
  const [, path = '', query = ''] = parts
  const ca = textDetail(details, 'tls_ca')
  const certificateAndKey = textDetail(details, 'tls_certificate_key')
  const { maxOpen, lifetimeMs } = common.limits
  const options = {
    appName: 'strongroom',
    // Compressed messages are refused (`metering.ts`), so request none, even if the URL requests compression.
    compressors: ['none'],
    maxPoolSize: maxOpen,
    serverSelectionTimeoutMS: SELECTION_MS,
    ...(lifetimeMs !== Infinity && { maxIdleTimeMS: lifetimeMs }),
    ...((ca || certificateAndKey) && { tls: true }),
    ...(ca && { ca }),
    ...(certificateAndKey && { cert: certificateAndKey, key: certificateAndKey }),
  }
  const Connection = connectionClassOf(mongodb)
  const client = (onExcess: (error: Error) => void): MongoClient => {
    try {
      return new mongodb.MongoClient(url, { ...options, connectionType: meteredConnections(Connection, onExcess) })
    } catch {
      // Do not attach the driver's error: its message may contain the URL.
      throw invalidFailure('connection_url: has options that the MongoDB driver refuses')
    }
  }
  client(() => undefined)
  return { client, database: databaseOf(path, query) }
}
