import { describeMaliciousCertificates } from './certificate-cases.ts'

describeMaliciousCertificates((send) => send())
