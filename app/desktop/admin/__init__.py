"""Admin: settings, keys, bundles."""
