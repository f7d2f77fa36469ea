/** Paths on a grid of 16, drawn with a round stroke of 1.4. */
const shapes = {
  agent: <path d="M4 5.5h8v7H4zM8 5.5V3M6.5 8.5v1M9.5 8.5v1" />,
  back: <><path d="M5.5 3L2.8 5.7l2.7 2.7" /><path d="M3 5.7h6.2a3.6 3.6 0 010 7.2H6" /></>,
  bell: <><path d="M3.5 11.5h9l-1.2-1.8V7a3.3 3.3 0 00-6.6 0v2.7z" /><path d="M6.8 13.4h2.4" /></>,
  blind: <><path d="M1.8 8S4 4 8 4s6.2 4 6.2 4S12 12 8 12 1.8 8 1.8 8z" /><path d="M3 13.5l10-11" /></>,
  branch: <><circle cx="4.5" cy="3.8" r="1.6" /><circle cx="4.5" cy="12.2" r="1.6" /><circle cx="11.5" cy="5.8" r="1.6" /><path d="M4.5 5.4v5.2M11.5 7.4c0 2.2-3 2.2-6.2 3.4" /></>,
  check: <path d="M3 8.4l3.2 3.2L13 4.8" />,
  clock: <><circle cx="8" cy="8" r="5.6" /><path d="M8 4.8V8l2.2 1.6" /></>,
  command: <><path d="M3.5 5l3 3-3 3" /><path d="M8.5 11.5h4" /></>,
  conflict: <><path d="M8 1.8L14.2 8 8 14.2 1.8 8z" /><path d="M8 5.2v3.4M8 10.6v.1" /></>,
  copy: <><path d="M5.5 5.5h7.5v7.5H5.5z" /><path d="M10.5 5.5V3H3v7.5h2.5" /></>,
  cross: <path d="M4 4l8 8M12 4l-8 8" />,
  dots: <path d="M3.5 8h.1M8 8h.1M12.5 8h.1" strokeWidth="2.2" />,
  down: <path d="M4 6.2l4 4 4-4" />,
  eye: <><path d="M1.8 8S4 4 8 4s6.2 4 6.2 4S12 12 8 12 1.8 8 1.8 8z" /><circle cx="8" cy="8" r="1.7" /></>,
  file: <path d="M4 2.2h5.2L12 5v8.8H4zM9.2 2.2V5H12" />,
  folder: <path d="M2 4h4.2l1.4 1.6H14V13H2z" />,
  forward: <><path d="M10.5 3l2.7 2.7-2.7 2.7" /><path d="M13 5.7H6.8a3.6 3.6 0 000 7.2H10" /></>,
  grid: <path d="M2.5 2.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 9.5h4v4h-4zM9.5 9.5h4v4h-4z" />,
  lines: <path d="M2.5 3h11v10h-11zM5 6.5h6M5 9.5h6" />,
  lock: <path d="M4 7.5h8v6H4zM5.6 7.5V5.2a2.4 2.4 0 014.8 0v2.3" />,
  merge: <path d="M4 2.5v2.3c0 2 4 2.4 4 5v3.7M12 2.5v2.3c0 2-4 2.4-4 5" />,
  minus: <path d="M3.5 8h9" />,
  panes: <path d="M2.5 3h11v10h-11zM8 3v10" />,
  pencil: <><path d="M3 13l.6-2.8L10.4 3.4l2.2 2.2L5.8 12.4z" /><path d="M9.2 4.6l2.2 2.2" /></>,
  person: <><circle cx="8" cy="5.4" r="2.4" /><path d="M3.4 13c.4-2.6 2.2-4 4.6-4s4.2 1.4 4.6 4" /></>,
  play: <path d="M5 3.5v9l7.5-4.5z" />,
  plus: <path d="M8 3.5v9M3.5 8h9" />,
  question: <><circle cx="8" cy="8" r="5.6" strokeDasharray="2.4 1.9" /><path d="M6.5 6.6c0-2 3-2 3-.1 0 1.2-1.5 1.2-1.5 2.3M8 10.9v.1" /></>,
  rail: <><path d="M5 1.5v13" /><circle cx="5" cy="5" r="2" fill="var(--bg)" /><path d="M9 5h5M5 10.5h6" /></>,
  right: <path d="M6.2 4l4 4-4 4" />,
  search: <><circle cx="7" cy="7" r="4" /><path d="M10 10l3.4 3.4" /></>,
  sed: <><path d="M6.5 5.2c-.6-.7-3-.8-3 .8 0 1.7 3.1.9 3.1 2.6 0 1.5-2.6 1.6-3.3.7" /><path d="M12.8 3.2L9 12.8" /></>,
  tray: <><path d="M2.5 9l2-6h7l2 6v4h-11z" /><path d="M2.5 9h3.2l.8 1.6h3L10.3 9h3.2" /></>,
  up: <path d="M4 9.8l4-4 4 4" />,
  wrap: <path d="M2.5 4h11M2.5 8h8.2a2.2 2.2 0 010 4.4H8M9.6 10.8L8 12.4l1.6 1.6M2.5 12.4H5" />,
} as const

export type IconName = keyof typeof shapes

/** A picture beside words; it has no name of its own, so it is hidden from screen readers. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: 13 | 14 | 16 }) {
  return (
    <svg className="i" style={{ width: size, height: size }} viewBox="0 0 16 16" aria-hidden="true">
      {shapes[name]}
    </svg>
  )
}

/** The app's sign. */
export function Brand() {
  return (
    <svg width="18" height="18" viewBox="0 0 18 18" fill="none" aria-hidden="true">
      <path d="M6 1v16" stroke="var(--text)" strokeWidth="2" />
      <circle cx="6" cy="12" r="3" fill="var(--bg)" stroke="var(--text)" strokeWidth="2" />
      <path d="M10 12c4.5 0 6-2 6-4.2S14.5 4 11 4" stroke="var(--accent)" strokeWidth="2" strokeLinecap="round" />
      <path d="M12.5 1.5L9.8 4l2.7 2.5" stroke="var(--accent)" strokeWidth="2" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  )
}
