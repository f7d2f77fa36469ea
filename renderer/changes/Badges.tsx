import type { ChangeBadge } from '../../shared/file-state.js'
import { Badge } from '../ui/parts.js'
import { badgeText, type BadgeTone } from './badges.js'

const looks = { plain: undefined, unknown: 'unk', conflict: 'con', accent: 'acc', removed: 'del' } as const satisfies Record<BadgeTone, string | undefined>

/** Facts about a change that its lines do not show. */
export function Badges({ badges }: { readonly badges: readonly ChangeBadge[] }) {
  return (
    <span className="badges">
      {badges.map((badge) => {
        const { text, tone, title } = badgeText(badge)
        return <Badge key={`${badge.kind}${text}`} look={looks[tone]} title={title}>{text}</Badge>
      })}
    </span>
  )
}
