import { judgeSignedMessages } from './judge-signed-messages.ts'

judgeSignedMessages('P-256')
