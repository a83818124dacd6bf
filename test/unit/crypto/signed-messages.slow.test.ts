import { judgeSignedMessages } from './judge-signed-messages.ts'

judgeSignedMessages('P-384')
judgeSignedMessages('P-521')
